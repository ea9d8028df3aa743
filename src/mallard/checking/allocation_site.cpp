#include "../platform/call_stack.hpp"
#include "environment_number.hpp"

#include <mallard/checking/allocation_site.hpp>

#include <algorithm>
#include <array>
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
    std::size_t kept = 0;
    // The frames of call_stack(), of this function and of its caller come first, and say nothing.
    constexpr std::size_t own_frames = 3;
    if (const std::size_t wanted = frames_to_keep().load(std::memory_order_relaxed)) {
        std::array<void*, most_stack_frames + own_frames> all{};
        const std::size_t count = platform::call_stack({all.data(), wanted + own_frames});
        kept = count - std::min(count, own_frames);
        std::copy_n(all.begin() + own_frames, kept, room.begin());
    }
    return room.first(kept);
}

}} // namespace mallard::checking::MALLARD_LIBRARY
