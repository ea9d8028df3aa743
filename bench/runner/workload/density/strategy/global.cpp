#include "runner/workload/density/tables.hpp"

#include <memory>

namespace bench {

namespace {

/// The standard containers with std::allocator: new-delete.
struct standard {
    using handle = global_handle;
    template <class T>
    using alloc = std::allocator<T>;

    template <class T>
    static alloc<T> get(global_handle&) noexcept {
        return {};
    }
};

} // namespace

template <>
const density_table<global_handle>& density_table_for() {
    return density_table_under<standard>();
}

} // namespace bench
