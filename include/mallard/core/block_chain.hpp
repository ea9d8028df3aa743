/// Blocks on their way between an allocator and its user, many at a time.
///
///     first_ -> block -> block -> ... -> null
///                        ^ last_           size_ of them
///
/// Data model: a list through the blocks' first words (core/free_block.hpp), so that it needs no memory of
/// its own; the words are whatever the user makes of them once a block is taken off. The blocks belong to
/// whoever holds the chain, are usable, and are not poisoned. A chain does not know where its blocks came
/// from: one that is destroyed with blocks in it loses them until their allocator is released.
/// Invariants: last_ is meaningful where the chain is not empty; the link of the last block is null.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 2.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::inline MALLARD_LIBRARY {

class block_chain {
public:
    block_chain() = default;

    /// Effects: takes over `size` blocks, of which each leads to the next and the last one to null.
    /// Requires: `size` is not 0.
    block_chain(void* first, void* last, std::size_t size) noexcept
        : first_(static_cast<core::free_block*>(first)), last_(static_cast<core::free_block*>(last)),
          size_(size) {}

    /// Effects: takes the blocks of `other` over; it is empty afterwards.
    block_chain(block_chain&& other) noexcept
        : first_(std::exchange(other.first_, nullptr)), last_(other.last_),
          size_(std::exchange(other.size_, 0U)) {}

    /// Effects: as above. What this chain held is forgotten.
    block_chain& operator=(block_chain&& other) noexcept {
        first_ = std::exchange(other.first_, nullptr);
        last_ = other.last_;
        size_ = std::exchange(other.size_, 0U);
        return *this;
    }

    ~block_chain() = default;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Returns: the first block, or null where the chain is empty.
    [[nodiscard]] void* front() const noexcept { return first_; }

    /// Returns: the last block.
    /// Requires: the chain is not empty.
    [[nodiscard]] void* back() const noexcept { return last_; }

    /// Requires: `p` is usable and has room for a pointer.
    void push_front(void* p) noexcept {
        auto* const block = static_cast<core::free_block*>(p);
        block->next = first_;
        if (first_ == nullptr) {
            last_ = block;
        }
        first_ = block;
        ++size_;
    }

    /// Requires: as push_front().
    void push_back(void* p) noexcept {
        auto* const block = static_cast<core::free_block*>(p);
        block->next = nullptr;
        append(block);
        last_ = block;
        ++size_;
    }

    /// Effects: takes the first block off.
    /// Returns: that block, or null where the chain is empty.
    void* pop_front() noexcept {
        core::free_block* const block = first_;
        if (block != nullptr) [[likely]] {
            first_ = block->next;
            --size_;
        }
        return block;
    }

    /// Effects: calls `use(block)` for every block, in their order, each after its link was read: `use` may write
    /// to the block. If it does, the chain is no longer one.
    ///
    /// Where the next block is, is guessed from the last step, so that the processor need not wait until each
    /// link is read: it goes on with what was computed, and only compares. Bursts lie side by side mostly.
    template <class Use>
    void for_each(Use use) const noexcept {
        // Numbers, because what is guessed behind the last block of a chain may be no address at all.
        std::uintptr_t step = 0;
        for (auto block = reinterpret_cast<std::uintptr_t>(first_); block != 0;) {
            const auto next =
                reinterpret_cast<std::uintptr_t>(reinterpret_cast<core::free_block*>(block)->next);
            std::uintptr_t guessed = block + step; // NOLINT(misc-const-correctness): the asm writes to it
            use(reinterpret_cast<void*>(block));
            if (next == guessed) [[likely]] {
                asm("" : "+r"(guessed)); // or the compiler takes the one that was read
                block = guessed;
            } else {
                step = next - block;
                block = next;
            }
        }
    }

    /// Effects: puts all blocks of `other` behind those of this chain; `other` is empty afterwards.
    /// Complexity: constant.
    void splice_back(block_chain&& other) noexcept {
        if (other.empty()) {
            return;
        }
        append(other.first_);
        last_ = other.last_;
        size_ += std::exchange(other.size_, 0U);
        other.first_ = nullptr;
    }

private:
    void append(core::free_block* block) noexcept {
        if (first_ == nullptr) {
            first_ = block;
        } else {
            last_->next = block;
        }
    }

    core::free_block* first_ = nullptr;
    core::free_block* last_ = nullptr;
    std::size_t size_ = 0;
};

static_assert(sizeof(block_chain) == 3 * sizeof(void*));

} // namespace mallard::inline MALLARD_LIBRARY
