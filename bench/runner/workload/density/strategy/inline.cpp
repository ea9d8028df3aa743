#include "runner/workload/density/tables.hpp"

namespace bench {

namespace {

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

} // namespace

template <>
const density_table<mallard::inline_resource>& density_table_for() {
    return density_table_under<inline_base>();
}

} // namespace bench
