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
      most_bytes_(std::min(strategy_->largest_bytes, settings.most_bytes)), counts_(results),
      upstream_(this, results) {
    strategy_->construct(*this);
    if (strategy_->make_room == nullptr && strategy_->largest_bytes != 0) {
        set_limit(most_bytes_ + 1);
    }
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

bool thread_arena::makes_room(std::size_t bytes) noexcept {
    const bool is_too_large = bytes > most_bytes_;
    if (strategy_->make_room != nullptr && !is_too_large && upstream_.has_room()) {
        if (returned_.load(std::memory_order_relaxed) != nullptr) {
            reclaim_returned();
        }
        if (serves(bytes) || strategy_->make_room(*this, bytes)) {
            return true;
        }
    }
    std::uint64_t& reason = strategy_->largest_bytes == 0          ? counts_.in_null
                            : is_too_large && upstream_.has_room() ? counts_.too_large
                                                                   : counts_.no_room;
    ++reason;
    return false;
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
