#include "../platform/call_stack.hpp"
#include "environment_number.hpp"

#include <mallard/checking/allocation_site.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mallard { inline namespace MALLARD_LIBRARY {

namespace {

constexpr std::size_t frames_at_the_start = 16;

std::size_t bounded(std::size_t frames) noexcept {
    return platform::has_call_stacks ? std::min(frames, most_stack_frames) : 0;
}

// A static object of a function would have a guard, which a fork during its initialisation leaves locked in the child.
constexpr std::size_t not_read = SIZE_MAX;
constinit std::atomic<std::size_t> kept_frames{not_read};

std::atomic<std::size_t>& frames_to_keep() noexcept {
    if (std::size_t kept = kept_frames.load(std::memory_order_relaxed); kept == not_read) {
        kept_frames.compare_exchange_strong(
            kept, bounded(checking::environment_number("MALLARD_STACK_FRAMES", frames_at_the_start,
                                                       most_stack_frames)));
    }
    return kept_frames;
}

} // namespace

std::size_t keep_stack_frames(std::size_t frames) noexcept {
    return frames_to_keep().exchange(bounded(frames));
}

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

std::span<void*> capture_stack(std::span<void*, most_stack_frames> room) noexcept {
    // The frames of this function and of its caller come first, and say nothing.
    constexpr std::size_t own_frames = 2;
    static_assert(most_stack_frames + own_frames <= platform::most_call_frames);
    const std::size_t wanted = frames_to_keep().load(std::memory_order_relaxed);
    return room.first(wanted == 0 ? 0 : platform::call_stack(room.first(wanted), own_frames));
}

}} // namespace mallard::checking::MALLARD_LIBRARY
