/// Batches of free blocks between threads: one leaves a batch, another takes it, without a lock, and neither
/// touches the blocks.
///
///     a shelf for each shape:  [ batch | batch | null | null | ... ]      one cache line of atomic pointers
///                                  |
///                                  v
///                                block -> block -> ... -> null            the links of impl/threads/magazine.hpp
///
/// Data model: a place is null, or leads to a batch of half a magazine. A thread fills a place that is null by a
/// compare-and-exchange, and empties one by an exchange. Each changes one word, so no order of two threads can
/// lose a batch or hand it out twice.
/// Invariants: all blocks are poisoned under AddressSanitizer, links and all.
///
/// Thread-safe, apart from clear(). A fork in the middle of a call leaves each place null or whole in the child; a
/// batch between two places stays in use there, as those in magazines of other threads do.
///
/// Source: J. Bonwick, J. Adams, "Magazines and Vmem", USENIX 2001, for the name and the idea.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/impl/threads/magazine.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace mallard::threads::inline MALLARD_MODE {

class depot {
public:
    static constexpr std::size_t most_batches = cache_line_bytes / sizeof(void*);

    /// Returns: false, with no effect, if there is no room for one more.
    /// Requires: the batch has batch_blocks(index) blocks of magazine `index`.
    [[nodiscard]] bool put(block_stack batch, std::size_t index) noexcept {
        for (place& at : shelves_[index].places) {
            core::free_block* expected = nullptr;
            if (at.load(std::memory_order_relaxed) == nullptr &&
                at.compare_exchange_strong(expected, batch.first(), std::memory_order_release,
                                           std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    /// Returns: a batch, the one that was put here last if no other thread is here; no block if there is none.
    [[nodiscard]] block_stack take(std::size_t index) noexcept {
        std::array<place, most_batches>& places = shelves_[index].places;
        for (std::size_t i = most_batches; i != 0; --i) {
            if (places[i - 1].load(std::memory_order_relaxed) != nullptr) {
                if (core::free_block* const first =
                        places[i - 1].exchange(nullptr, std::memory_order_acquire)) {
                    return block_stack(first);
                }
            }
        }
        return {};
    }

    /// Effects: forgets all batches.
    /// Requires: no other thread is in a call.
    void clear() noexcept {
        for (shelf& row : shelves_) {
            for (place& at : row.places) {
                at.store(nullptr, std::memory_order_relaxed);
            }
        }
    }

private:
    using place = std::atomic<core::free_block*>;

    struct alignas(cache_line_bytes) shelf {
        std::array<place, most_batches> places{};
    };

    std::array<shelf, magazine_count> shelves_{};
};

} // namespace mallard::threads::inline MALLARD_MODE
