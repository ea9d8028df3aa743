#include "runner/workload/density/contenders.hpp"

namespace bench {

namespace {

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

} // namespace

template <>
const density_table<boost_resource>& density_table_for() {
    return density_table_under<boost_base>();
}

} // namespace bench
