#include "bench/workload/density_tables.hpp"

#include <memory>

namespace bench {

namespace {

/// The containers as everybody writes them: AS1.
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

constinit const density_table<global_handle> density_global = make_density_table<standard>();

} // namespace bench
