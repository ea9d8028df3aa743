// The calls of a checked allocator: who may make them.
#include <mallard/checking/allocation_site.hpp>
#include <mallard/checking/misuse.hpp>
#include <mallard/impl/checking/block_registry.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <utility>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

void report_no_allocator(misuse kind, allocator_call by) noexcept {
    std::array<void*, most_stack_frames> room;
    report_misuse({.kind = kind, .detected_by = by, .stack = capture_stack(room)});
    std::abort(); // there is nothing to go on with
}

block_registry::call block_registry::begin(allocator_call by) noexcept {
    const void* const outer_user = user_.exchange(&at_work, std::memory_order_relaxed);
    if (outer_user != nullptr && outer_user != &at_work) {
        report_concurrent_use(by);
    }
    users_call_.store(by, std::memory_order_relaxed);
    expect_memory_below(by);
    holder_ = std::exchange(at_work, current_state().id);
    return {.by = by, .outer_at_work = holder_, .outer_user = outer_user};
}

void block_registry::finish(const call& begun) noexcept {
    at_work = begun.outer_at_work;
    if (user_.exchange(begun.outer_user, std::memory_order_relaxed) != &at_work) {
        user_.store(nullptr, std::memory_order_relaxed);
        report_concurrent_use(begun.by);
    }
}

void block_registry::report_concurrent_use(allocator_call by) noexcept {
    std::array<void*, most_stack_frames> room;
    report_misuse({.kind = misuse::concurrent_use,
                   .detected_by = by,
                   .other_call = users_call_.load(std::memory_order_relaxed),
                   .stack = capture_stack(room)});
}

}} // namespace mallard::checking::MALLARD_LIBRARY
