#include "runner/workload/density/tables.hpp"

namespace bench {

namespace {

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

} // namespace

template <>
const density_table<std::pmr::memory_resource>& density_table_for() {
    return density_table_under<abstract_base>();
}

} // namespace bench
