/// The programs, and their functions under a binding: one for each program and kind of destruction. A strategy calls one of
/// them for each scope, through a table (strategy/binding.hpp).
#pragma once

#include "runner/strategy/binding.hpp"
#include "runner/workload/programs/documents.hpp"
#include "runner/workload/programs/indexes.hpp"
#include "runner/workload/programs/long_lived.hpp"
#include "runner/workload/programs/worlds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace bench {

/// The programs under a binding. Of those that live long, `PartsWinkedOut` says what becomes of a part that goes.
template <class Binding, bool PartsWinkedOut = false>
using programs =
    std::tuple<json_program<Binding::template alloc>, compiler_program<Binding::template alloc>,
               request_program<Binding::template alloc>, interner_program<Binding::template alloc>,
               cache_program<Binding::template alloc>, index_program<Binding::template alloc>,
               graph_program<Binding::template alloc>, order_program<Binding::template alloc>,
               entity_program<Binding::template alloc>, spatial_program<Binding::template alloc>,
               document_program<Binding, PartsWinkedOut>, session_program<Binding, PartsWinkedOut>,
               module_program<Binding, PartsWinkedOut>, world_program<Binding, PartsWinkedOut>>;

template <class T>
concept program = requires {
    typename T::input;
    T::reuses;
};

/// True for a program whose parts may have allocators of their own.
template <class Program>
constexpr bool is_in_parts = requires { requires Program::has_parts; };

inline constexpr std::size_t program_count = std::tuple_size_v<programs<standard_allocator>>;

template <class Handle>
struct program_operations {
    std::uint64_t (*normal)(Handle&, const program_input&);
    std::uint64_t (*winked_out)(Handle&, const program_input&); ///< null if the binding cannot release memory
};

/// In the order of `programs`. The functions return the checksum of a scope.
template <class Handle>
using program_table = std::array<program_operations<Handle>, program_count>;

/// Returns: the programs under the binding with that handle. Only tables.hpp has the definition.
template <class Handle>
const program_table<Handle>& program_table_for();

} // namespace bench

/// A program owns nothing but its containers and nodes.
template <bench::program Program>
inline constexpr bool mallard::winkable<Program> = true;
