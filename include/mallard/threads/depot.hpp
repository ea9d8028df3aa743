/// Whole batches of free blocks between two threads: one puts a batch down, another takes it up, and neither
/// touches more of it than its first block.
///
///     first_[shape] -> [ link | next batch | ... ] -> [ link | next batch | ... ] -> null
///                        |                              |
///                        v the others of the batch      v
///
/// Data model: for each shape of threads/magazine.hpp a short list of batches; a batch is as many blocks as half
/// of a magazine holds, in a list of their own. Its first block holds the link to the next batch in its
/// second word, so that blocks of 8 bytes have no place here.
/// Invariants: all blocks are poisoned under AddressSanitizer, links and all. A shape has no more than
/// most_batches here, so that what waits in vain is little.
///
/// Not thread-safe: who shares it locks it, for a few instructions.
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
    /// Requires: the batch is of batch_blocks(index) blocks of magazine `index`.
    [[nodiscard]] bool put(block_stack batch, std::size_t index) noexcept {
        if (magazine_shape(index).bytes < 2 * sizeof(void*) || batches_[index] == most_batches) {
            return false;
        }
        core::write_link(core::link_of(batch.first()) + 1, first_[index]);
        first_[index] = batch.first();
        ++batches_[index];
        return true;
    }

    /// Returns: the batch that was put here last, or no block if there is none.
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
