/// Batches of free blocks between two threads: one leaves a batch, another takes it, and neither touches more of
/// it than its first block.
///
///     first_[shape] -> [ link | next batch | ... ] -> [ link | next batch | ... ] -> null
///                        |                              |
///                        v the others of the batch      v
///
/// Data model: a list of batches for each shape of threads/magazine.hpp. A batch has as many blocks as half a
/// magazine. Its first block holds the link to the next batch in its second word, so that blocks of 8 bytes
/// cannot wait here.
/// Invariants: all blocks are poisoned under AddressSanitizer, links and all. At most most_batches of a shape
/// wait.
///
/// Not thread-safe. The owner locks it, for a few instructions.
///
/// Source: J. Bonwick, J. Adams, "Magazines and Vmem", USENIX 2001, for the name and the idea.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/threads/magazine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::threads::inline MALLARD_MODE {

class depot {
public:
    static constexpr std::size_t most_batches = 8;

    /// Returns: false, with no effect, if there is no room for one more.
    /// Requires: the batch has batch_blocks(index) blocks of magazine `index`.
    [[nodiscard]] bool put(block_stack batch, std::size_t index) noexcept {
        if (magazine_shape(index).bytes < 2 * sizeof(void*) || batches_[index] == most_batches) {
            return false;
        }
        core::write_link(core::link_of(batch.first()) + 1, first_[index]);
        first_[index] = batch.first();
        ++batches_[index];
        return true;
    }

    /// Returns: the batch that was put here last; no block if there is none.
    [[nodiscard]] block_stack take(std::size_t index) noexcept {
        core::free_block* const first = first_[index];
        if (first != nullptr) {
            first_[index] = core::read_link(core::link_of(first) + 1);
            --batches_[index];
        }
        return block_stack(first);
    }

    /// Effects: forgets all batches.
    void clear() noexcept { *this = depot(); }

private:
    std::array<core::free_block*, magazine_count> first_{};
    std::array<std::uint8_t, magazine_count> batches_{};
};

} // namespace mallard::threads::inline MALLARD_MODE
