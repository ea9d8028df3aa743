/// The tables of the programs. cmake/container_tables.cmake writes the files that include this header and instantiate
/// program_table_for for the handles of bench/runner/CMakeLists.txt and cmake/contenders.cmake.
#pragma once

#include "runner/workload/programs/programs.hpp"

namespace bench {

template <class Binding, class Program>
std::uint64_t run_and_destroy(typename Binding::handle& source, const program_input& input) {
    Program program(typename Program::allocator_type(Binding::template get<std::byte>(source)));
    return program.run(static_cast<const typename Program::input&>(input));
}

template <class Binding, class Program>
std::uint64_t run_and_leave(typename Binding::handle& source, const program_input& input) {
    return Binding::template wink<Program>(source).run(static_cast<const typename Program::input&>(input));
}

template <class Binding, class Program, class WinkedOut>
constexpr program_operations<typename Binding::handle> operations_of() {
    using handle = typename Binding::handle;
    program_operations<handle> result{&run_and_destroy<Binding, Program>, nullptr};
    if constexpr (is_in_parts<Program> && has_parts<Binding>) {
        result.winked_out = &run_and_destroy<Binding, WinkedOut>; // each part by itself
    } else if constexpr (requires(handle& source) { Binding::template wink<Program>(source); }) {
        result.winked_out = &run_and_leave<Binding, Program>;
    }
    return result;
}

template <class Handle>
const program_table<Handle>& program_table_for() {
    using binding = typename binding_with<Handle>::type;
    static constexpr auto table =
        []<class... Program, class... WinkedOut>(std::type_identity<std::tuple<Program...>>,
                                                 std::type_identity<std::tuple<WinkedOut...>>) {
            return program_table<Handle>{operations_of<binding, Program, WinkedOut>()...};
        }(std::type_identity<programs<binding>>(), std::type_identity<programs<binding, true>>());
    return table;
}

} // namespace bench
