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

    /// The global allocator cannot be released, so no strategy calls this; the object is destroyed all the
    /// same.
    template <class T>
    static T& wink(global_handle&) {
        static std::optional<T> kept;
        return kept.emplace();
    }
};

} // namespace

constinit const density_table<global_handle> density_global = make_density_table<standard>();

} // namespace bench
