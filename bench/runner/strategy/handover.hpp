/// Blocks that one thread allocates and its neighbour frees.
///
///     thread 0 --queue 0--> thread 1 --queue 1--> ... --queue W-1--> thread 0
///
/// Blocks travel in batches, so that the time is the allocator's and not the queue's.
#pragma once

#include "runner/harness/thread_team.hpp"
#include "runner/strategy/block_loops.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace bench {

struct block_batch {
    std::array<std::byte*, 64> blocks;
    std::size_t count = 0;
};

/// One thread pushes, one pops; neither blocks.
class batch_queue {
public:
    [[nodiscard]] bool has_room() const noexcept {
        return pushed_.load(std::memory_order_relaxed) - popped_.load(std::memory_order_acquire) !=
               slots_.size();
    }

    /// Requires: has_room().
    void push(const block_batch& batch) noexcept {
        const std::size_t n = pushed_.load(std::memory_order_relaxed);
        slots_[n % slots_.size()] = batch;
        pushed_.store(n + 1, std::memory_order_release);
    }

    /// Returns: false if the queue is empty.
    [[nodiscard]] bool pop(block_batch& batch) noexcept {
        const std::size_t n = popped_.load(std::memory_order_relaxed);
        if (n == pushed_.load(std::memory_order_acquire)) {
            return false;
        }
        batch = slots_[n % slots_.size()];
        popped_.store(n + 1, std::memory_order_release);
        return true;
    }

private:
    alignas(apart_bytes) std::atomic<std::size_t> pushed_ = 0;
    alignas(apart_bytes) std::atomic<std::size_t> popped_ = 0;
    alignas(apart_bytes) std::array<block_batch, 8> slots_;
};

/// Effects: allocates `count` blocks, touches them and hands them to `next`; frees `count` blocks from `previous`. A
/// thread that runs out of memory sets `failed`, so that its neighbours do not wait for ever.
/// Throws: std::bad_alloc.
template <class Source>
[[gnu::noinline]] void hand_over(Source& source, std::size_t block_bytes, std::size_t count,
                                 batch_queue& next, batch_queue& previous, std::atomic<bool>& failed) {
    std::size_t to_allocate = count;
    std::size_t to_free = count;
    block_batch batch;
    while (to_allocate + to_free != 0) {
        bool idle = true;
        if (to_allocate != 0 && next.has_room()) {
            idle = false;
            batch.count = std::min(to_allocate, batch.blocks.size());
            try {
                for (std::size_t i = 0; i != batch.count; ++i) {
                    batch.blocks[i] = touched_block(source, block_bytes);
                }
            } catch (...) {
                failed = true;
                throw;
            }
            next.push(batch);
            to_allocate -= batch.count;
        }
        if (previous.pop(batch)) {
            idle = false;
            for (std::size_t i = 0; i != batch.count; ++i) {
                source.deallocate(batch.blocks[i], block_bytes, block_alignment);
            }
            to_free -= batch.count;
        }
        if (idle) {
            if (failed.load()) {
                return;
            }
            std::this_thread::yield();
        }
    }
}

extern template void hand_over(std::pmr::memory_resource&, std::size_t, std::size_t, batch_queue&,
                               batch_queue&, std::atomic<bool>&);
extern template void hand_over(mallard::inline_resource&, std::size_t, std::size_t, batch_queue&,
                               batch_queue&, std::atomic<bool>&);

} // namespace bench
