#include "environment_number.hpp"

#include <mallard/checking/quarantine.hpp>

#include <atomic>
#include <cstddef>
#include <limits>

namespace mallard::inline MALLARD_LIBRARY {

namespace {

struct shared_bounds {
    std::atomic<std::size_t> blocks;
    std::atomic<std::size_t> bytes;
};

shared_bounds& bounds_of_all() noexcept {
    static shared_bounds bounds = [] {
        constexpr quarantine_bounds usual;
        return shared_bounds{usual.blocks,
                             checking::environment_number("MALLARD_QUARANTINE_BYTES", usual.bytes,
                                                          std::numeric_limits<std::size_t>::max())};
    }();
    return bounds;
}

} // namespace

quarantine_bounds set_quarantine(quarantine_bounds bounds) noexcept {
    shared_bounds& all = bounds_of_all();
    return {.blocks = all.blocks.exchange(bounds.blocks), .bytes = all.bytes.exchange(bounds.bytes)};
}

quarantine_bounds usual_quarantine() noexcept {
    const shared_bounds& all = bounds_of_all();
    return {.blocks = all.blocks.load(std::memory_order_relaxed),
            .bytes = all.bytes.load(std::memory_order_relaxed)};
}

} // namespace mallard::inline MALLARD_LIBRARY
