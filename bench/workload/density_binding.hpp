/// One function per structure and destruction for a binding: the unit that a strategy calls once an
/// iteration.
///
/// Each binding is compiled in a file of its own and reached through a table of function pointers. For the
/// abstract base that is what makes the measurement true: one and the same function serves new-delete/base, monotonic/base, monotonic/base/wink,
/// multipool/base, multipool/base/wink, multipool+monotonic/base and multipool+monotonic/base/wink, and it cannot know which resource it is given.
#pragma once

#include "bench/workload/density_structure.hpp"

#include <mallard/lifetime/wink_out.hpp>

#include <array>
#include <cstdint>
#include <memory>

namespace bench {

inline constexpr std::size_t structure_count = 12;

/// What a structure is made of, and where its checksum goes when somebody wants it (never in the timed part).
struct density_task {
    const density_input& input;
    std::uint64_t* checksum = nullptr;
};

template <class Handle>
struct density_operations {
    void (*normal)(Handle&, const density_task&);
    void (*winked_out)(Handle&, const density_task&); ///< null where the binding has nothing to release
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

/// `Binding` has: `handle`, what a strategy passes in; `alloc<T>`, the containers' allocator, made of a
/// handle; and `wink<T>(handle)`, which makes a T that nobody destroys.
template <class Binding, class Structure>
void build_and_destroy(typename Binding::handle& source, const density_task& task) {
    Structure structure(typename Structure::allocator_type(Binding::template get<std::byte>(source)));
    use(structure, task);
}

template <class Binding, class Structure>
void build_and_leave(typename Binding::handle& source, const density_task& task) {
    use(Binding::template wink<Structure>(source), task);
}

/// A binding without `wink`, which the global allocator's is, has nothing to wink out of.
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
constexpr density_table<typename Binding::handle> table_of() {
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
    return table_of<Binding, vector_int, vector_string, set_int, set_string,
                    typename types::template vector<vector_int>,
                    typename types::template vector<vector_string>, typename types::template vector<set_int>,
                    typename types::template vector<set_string>, typename types::template set<vector_int>,
                    typename types::template set<vector_string>, typename types::template set<set_int>,
                    typename types::template set<set_string>>();
}

/// Returns: the operations on the twelve structures under the binding that takes such a handle. Each is
/// declared beside its handle, and made in a file of its own.
template <class Handle>
const density_table<Handle>& density_table_for();

/// The body of each.
template <class Binding>
const density_table<typename Binding::handle>& density_table_under() {
    static constexpr auto table = make_density_table<Binding>();
    return table;
}

/// Binding by type parameter to the mechanism A, which has something to wink out of where it can release.
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
