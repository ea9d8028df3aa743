#include "bench/workload/density_contenders.hpp"

namespace bench {

namespace {

/// Boost's abstract base behind the containers of the standard library. A resource does not say whether it
/// can be released; those that a strategy winks out of can.
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

} // namespace

template <>
const density_table<boost_resource>& density_table_for() {
    return density_table_under<boost_base>();
}

} // namespace bench
