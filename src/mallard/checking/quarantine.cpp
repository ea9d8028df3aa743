#include "environment_number.hpp"

#include <mallard/checking/quarantine.hpp>

#include <atomic>
#include <cstddef>
#include <limits>

namespace mallard { inline namespace MALLARD_LIBRARY {

namespace {

struct shared_bounds {
    std::atomic<std::size_t> blocks{quarantine_bounds{}.blocks};
    std::atomic<std::size_t> bytes{quarantine_bounds{}.bytes};
    std::atomic<bool> environment_read{false};
};

// A static object of a function would have a guard, which a fork during its initialisation leaves locked in the child.
constinit shared_bounds all_bounds;

shared_bounds& bounds_of_all() noexcept {
    if (!all_bounds.environment_read.load(std::memory_order_acquire)) {
        std::size_t default_value = quarantine_bounds{}.bytes;
        const std::size_t bytes = checking::environment_number("MALLARD_QUARANTINE_BYTES", default_value,
                                                               std::numeric_limits<std::size_t>::max());
        all_bounds.bytes.compare_exchange_strong(default_value, bytes);
        all_bounds.environment_read.store(true, std::memory_order_release);
    }
    return all_bounds;
}

} // namespace

quarantine_bounds set_quarantine(quarantine_bounds bounds) noexcept {
    shared_bounds& all = bounds_of_all();
    return {.blocks = all.blocks.exchange(bounds.blocks), .bytes = all.bytes.exchange(bounds.bytes)};
}

quarantine_bounds default_quarantine() noexcept {
    const shared_bounds& all = bounds_of_all();
    return {.blocks = all.blocks.load(std::memory_order_relaxed),
            .bytes = all.bytes.load(std::memory_order_relaxed)};
}

}} // namespace mallard::MALLARD_LIBRARY
