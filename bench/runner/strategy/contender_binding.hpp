/// The bindings of containers to the contenders that serve any container. Contenders with std::pmr's abstract base are behind
/// that base.
#pragma once

#include "runner/strategy/binding.hpp"
#include "runner/strategy/sources.hpp"

namespace bench {

/// The binding by type to an allocator that serves the process.
template <mechanism_kind Kind>
struct process_wide_binding {
    using handle = process_wide<Kind>;
    template <class T>
    using alloc = typename source_traits<Kind>::template allocator<T>;

    template <class T>
    static alloc<T> get(handle&) noexcept {
        return {};
    }
};

template <mechanism_kind Kind>
struct binding_with<process_wide<Kind>> {
    using type = process_wide_binding<Kind>;
};

#if BENCH_HAS_BOOST_CONTAINER
/// Boost's abstract base behind the standard containers. Its type does not show that a resource can be released, as
/// the ones of strategies with /wink can.
struct boost_base {
    using handle = boost_resource;
    template <class T>
    using alloc = mallard::allocator<T, boost_resource>;

    template <class T>
    static alloc<T> get(handle& base) noexcept {
        return base;
    }

    template <class T>
    static T& wink(handle& base) {
        auto* memory = static_cast<T*>(base.allocate(sizeof(T), alignof(T)));
        return *std::uninitialized_construct_using_allocator(memory, alloc<std::byte>(base));
    }
};

template <>
struct binding_with<boost_resource> {
    using type = boost_base;
};
#endif

} // namespace bench
