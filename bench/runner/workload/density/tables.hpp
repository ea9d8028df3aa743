/// The tables of Benchmark I. bench/runner/CMakeLists.txt and cmake/contenders.cmake list the handles. The build writes the
/// files that include this header, and instantiates density_table_for there: the files compile in parallel, and what a
/// compiler inlines depends on the file.
#pragma once

#include "runner/strategy/mechanisms.hpp"
#include "runner/workload/density/binding.hpp"

#include <memory>
#include <memory_resource>

namespace bench {

/// The mechanisms whose chunks come from the global heap (Benchmark V).
using heap_monotonic = mallard::monotonic<mallard::new_delete>;
using heap_multipool = mallard::multipool<mallard::new_delete>;
using heap_local_heap = mallard::heap<mallard::new_delete>;
using heap_multipool_over_monotonic = mallard::multipool<heap_monotonic>;

/// The standard containers with std::allocator: new-delete.
struct standard_allocator {
    using handle = global_handle;
    template <class T>
    using alloc = std::allocator<T>;

    template <class T>
    static alloc<T> get(global_handle&) noexcept {
        return {};
    }
};

struct abstract_base {
    using handle = std::pmr::memory_resource;
    template <class T>
    using alloc = std::pmr::polymorphic_allocator<T>;

    template <class T>
    static alloc<T> get(handle& base) noexcept {
        return &base;
    }

    template <class T>
    static T& wink(handle& base) {
        return mallard::wink_out<T>(mallard::assume_winkable, base);
    }
};

struct inline_base {
    using handle = mallard::inline_resource;
    template <class T>
    using alloc = mallard::inline_allocator<T>;

    template <class T>
    static alloc<T> get(handle& base) noexcept {
        return &base;
    }

    template <class T>
    static T& wink(handle& base) {
        return mallard::wink_out<T>(mallard::assume_winkable, base);
    }
};

template <>
struct binding_with<global_handle> {
    using type = standard_allocator;
};
template <>
struct binding_with<std::pmr::memory_resource> {
    using type = abstract_base;
};
template <>
struct binding_with<mallard::inline_resource> {
    using type = inline_base;
};

template <class Handle>
const density_table<Handle>& density_table_for() {
    static constexpr auto table = make_density_table<typename binding_with<Handle>::type>();
    return table;
}

} // namespace bench
