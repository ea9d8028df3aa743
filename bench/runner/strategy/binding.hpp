/// The bindings of containers to the strategies' allocators.
///
/// A binding has `handle`, the type that a strategy passes in; `alloc<T>`, the containers' allocator; `get<T>(handle)`, which
/// makes one; and, if the allocator can release its memory, `wink<T>(handle)`, which makes a T that is never destroyed. If
/// `has_parts` is true, each part of a long-lived structure may have a handle of its own.
///
/// A workload of containers compiles its functions for each binding in a file of its own (cmake/container_tables.cmake), and
/// reaches them through a table of function pointers. This keeps the measurement of the abstract base honest: one function
/// serves all strategies that end in /base or /base/wink, and the compiler cannot know the resource.
#pragma once

#include "runner/strategy/mechanisms.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/bind/allocator.hpp>
#include <mallard/bind/static_allocator.hpp>
#include <mallard/lifetime/wink_out.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>

namespace bench {

/// The mechanisms whose chunks come from the global heap (Benchmark V).
using heap_monotonic = mallard::monotonic<mallard::new_delete>;
using heap_multipool = mallard::multipool<mallard::new_delete>;
using heap_local_heap = mallard::heap<mallard::new_delete>;
using heap_multipool_over_monotonic = mallard::multipool<heap_monotonic>;

/// The binding by type parameter to the mechanism A, which can be winked out if A can be released.
template <class A>
struct type_parameter {
    static constexpr bool has_parts = mallard::local_allocator<A> && std::is_default_constructible_v<A>;
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

/// The binding with the handle `Handle`.
template <class Handle>
struct binding_with {
    using type = type_parameter<Handle>;
};

/// The empty handle of the global allocator.
struct global_handle {};

/// The empty handle of an allocator with one instance for the process.
template <mechanism_kind Kind>
struct process_wide {};

/// Counts the requests of a structure. It releases its memory at the end, so that it can be winked out.
using counting_source = mallard::counted<mallard::monotonic<>>;

/// The requests of all parts are counted together.
template <>
struct binding_with<counting_source> {
    struct type : type_parameter<counting_source> {
        static constexpr bool has_parts = false;
    };
};

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

/// The empty handle of the multipool that a type names. It belongs to the thread, and lives as long: containers hold no pointer
/// to it, and scopes and parts share it.
struct static_multipool {};

struct static_binding {
    using handle = static_multipool;
    template <class T>
    using alloc = mallard::static_allocator<T, mallard::multipool<>>;

    template <class T>
    static alloc<T> get(static_multipool&) noexcept {
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
struct binding_with<static_multipool> {
    using type = static_binding;
};
template <>
struct binding_with<std::pmr::memory_resource> {
    using type = abstract_base;
};
template <>
struct binding_with<mallard::inline_resource> {
    using type = inline_base;
};

} // namespace bench
