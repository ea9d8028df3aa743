/// The programs, and their functions under a binding: one for each program and kind of destruction. A strategy calls one of
/// them for each scope, through a table (strategy/binding.hpp).
#pragma once

#include "runner/strategy/binding.hpp"
#include "runner/workload/programs/documents.hpp"
#include "runner/workload/programs/indexes.hpp"
#include "runner/workload/programs/worlds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace bench {

template <template <class> class Alloc>
using programs =
    std::tuple<json_program<Alloc>, compiler_program<Alloc>, request_program<Alloc>, interner_program<Alloc>,
               cache_program<Alloc>, index_program<Alloc>, graph_program<Alloc>, order_program<Alloc>,
               entity_program<Alloc>, spatial_program<Alloc>>;

template <class T>
concept program = requires {
    typename T::input;
    T::reuses;
};

inline constexpr std::size_t program_count = std::tuple_size_v<programs<std::allocator>>;

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
