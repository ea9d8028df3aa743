#include "trial/serve/thread_arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>

namespace mallard::trial {

namespace {

constinit std::atomic<thread_arena*> all_arenas{nullptr};

} // namespace

thread_arena::thread_arena(const setting& settings, counts& results) noexcept
    : strategy_(settings.served_by), allocate_(strategy_->allocate), deallocate_(strategy_->deallocate),
      too_many_bytes_(strategy_->largest_bytes == 0 ? 0
                                                    : std::min({strategy_->largest_bytes, settings.most_bytes,
                                                                region_upstream::most_bytes / 2}) +
                                                          1),
      too_many_at_once_bytes_(settings.delay_ns == 0 ? too_many_bytes_ : 0), counts_(results),
      upstream_(this, results) {
    strategy_->construct(*this);
}

thread_arena* thread_arena::acquire(const setting& settings, report& results) noexcept {
    for (thread_arena* arena = all_arenas.load(std::memory_order_acquire); arena != nullptr;
         arena = arena->next_) {
        bool taken = false;
        if (arena->taken_.compare_exchange_strong(taken, true, std::memory_order_acq_rel)) {
            return arena;
        }
    }
    std::uint32_t number = results.arenas.load(std::memory_order_relaxed);
    do {
        if (number >= report::max_arenas) {
            return nullptr;
        }
    } while (!results.arenas.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));
    void* const memory =
        ::mmap(nullptr, sizeof(thread_arena), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    auto* const arena = new (memory) thread_arena(settings, results.arena_counts[number]);
    arena->next_ = all_arenas.load(std::memory_order_relaxed);
    while (!all_arenas.compare_exchange_weak(arena->next_, arena, std::memory_order_release)) {
    }
    return arena;
}

void thread_arena::refuse() noexcept {
    std::uint64_t& reason = strategy_->largest_bytes == 0 ? counts_.in_null
                            : upstream_.has_room()        ? counts_.too_large
                                                          : counts_.no_room;
    ++reason;
}

void thread_arena::stop_at_wrong_free() noexcept {
    constexpr std::string_view message =
        "mallard try: a block of the scope was freed twice, or never allocated\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
    std::abort();
}

/// Effects: queues the block for its owner.
void thread_arena::return_block(void* block) noexcept {
    auto** const link = static_cast<void**>(block);
    *link = returned_.load(std::memory_order_relaxed);
    while (!returned_.compare_exchange_weak(*link, block, std::memory_order_release)) {
    }
}

/// Effects: frees the blocks that other threads have returned.
void thread_arena::reclaim_returned() noexcept {
    void* block = returned_.exchange(nullptr, std::memory_order_acquire);
    while (block != nullptr) {
        void* const next = *static_cast<void**>(block);
        // A free by two threads is detected here only.
        if (the_region.size_at(block) == region::no_block) [[unlikely]] {
            stop_at_wrong_free();
        }
        deallocate_(*this, block);
        --counts_.freed;
        ++counts_.freed_by_others;
        block = next;
    }
}

} // namespace mallard::trial
