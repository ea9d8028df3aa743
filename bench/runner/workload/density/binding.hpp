/// The functions of a binding: one for each structure and kind of destruction. A strategy calls one of them per
/// iteration.
///
/// Each binding is compiled in a separate file and reached through a table of function pointers. This keeps the
/// measurement of the abstract base honest: one function serves all strategies that end in /base or /base/wink, and
/// the compiler cannot know the resource.
#pragma once

#include "runner/workload/density/structure.hpp"

#include <mallard/lifetime/wink_out.hpp>

#include <array>
#include <cstdint>
#include <memory>

namespace bench {

inline constexpr std::size_t structure_count = 12;

/// The leaves of a structure, and the destination of its checksum, which is null in timed parts.
struct density_task {
    const density_input& input;
    std::uint64_t* checksum = nullptr;
};

template <class Handle>
struct density_operations {
    void (*normal)(Handle&, const density_task&);
    void (*winked_out)(Handle&, const density_task&); ///< null if the binding cannot release memory
};

/// In the order of data_structures().
template <class Handle>
using density_table = std::array<density_operations<Handle>, structure_count>;

template <class Structure>
void use(Structure& structure, const density_task& task) {
    fill(structure, task.input);
    escape(std::addressof(structure));
    if (task.checksum != nullptr) {
        *task.checksum = checksum(structure);
    }
}

/// `Binding` has: `handle`, the type that a strategy passes in; `alloc<T>`, the containers' allocator, made
/// from a handle; and `wink<T>(handle)`, which makes a T that is never destroyed.
template <class Binding, class Structure>
void build_and_destroy(typename Binding::handle& source, const density_task& task) {
    Structure structure(typename Structure::allocator_type(Binding::template get<std::byte>(source)));
    use(structure, task);
}

template <class Binding, class Structure>
void build_and_leave(typename Binding::handle& source, const density_task& task) {
    use(Binding::template wink<Structure>(source), task);
}

/// A binding without `wink`, such as the global allocator's, cannot be winked out.
template <class Binding, class Structure>
constexpr density_operations<typename Binding::handle> operations_on() {
    using handle = typename Binding::handle;
    density_operations<handle> result{&build_and_destroy<Binding, Structure>, nullptr};
    if constexpr (requires(handle& source) { Binding::template wink<Structure>(source); }) {
        result.winked_out = &build_and_leave<Binding, Structure>;
    }
    return result;
}

template <class Binding, class... Structures>
constexpr density_table<typename Binding::handle> make_table() {
    return {operations_on<Binding, Structures>()...};
}

/// Returns: the operations on DS1..DS12 under `Binding`.
template <class Binding>
constexpr density_table<typename Binding::handle> make_density_table() {
    using types = density_types<Binding::template alloc>;
    using string = typename types::string;
    using vector_int = typename types::template vector<int>;
    using vector_string = typename types::template vector<string>;
    using set_int = typename types::template set<int>;
    using set_string = typename types::template set<string>;
    return make_table<Binding, vector_int, vector_string, set_int, set_string,
                      typename types::template vector<vector_int>,
                      typename types::template vector<vector_string>,
                      typename types::template vector<set_int>, typename types::template vector<set_string>,
                      typename types::template set<vector_int>, typename types::template set<vector_string>,
                      typename types::template set<set_int>, typename types::template set<set_string>>();
}

/// Returns: the operations on the twelve structures under the binding with that handle. Each specialisation is
/// declared with its handle, and defined in a separate file.
template <class Handle>
const density_table<Handle>& density_table_for();

/// The definition of each specialisation.
template <class Binding>
const density_table<typename Binding::handle>& density_table_under() {
    static constexpr auto table = make_density_table<Binding>();
    return table;
}

/// The binding by type parameter to the mechanism A, which can be winked out if A can be released.
template <class A>
struct type_parameter {
    using handle = A;
    template <class T>
    using alloc = mallard::allocator<T, A>;

    template <class T>
    static alloc<T> get(A& mechanism) noexcept {
        return mechanism;
    }

    template <class T>
        requires mallard::local_allocator<A>
    static T& wink(A& mechanism) {
        return mallard::wink_out<T>(mechanism);
    }
};

} // namespace bench
