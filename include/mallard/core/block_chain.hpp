/// A list of blocks on their way between an allocator and its caller.
///
///     first_ -> block -> block -> ... -> null
///                        ^ last_           size_ of them
///
/// Data model: a list through the first words of the blocks (core/free_block.hpp), which needs no memory of its
/// own. The owner of the chain owns the blocks; they are usable and not poisoned. A chain does not know its
/// allocator: blocks that are left in it when it is destroyed are lost until that allocator is released.
/// Invariants: last_ is valid unless the chain is empty; the link of the last block is null.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 2.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard { inline namespace MALLARD_LIBRARY {

class block_chain {
public:
    block_chain() = default;

    /// Effects: takes over `size` blocks, each of which leads to the next and the last one to null.
    /// Requires: `size` is not 0.
    block_chain(void* first, void* last, std::size_t size) noexcept
        : first_(static_cast<core::free_block*>(first)), last_(static_cast<core::free_block*>(last)),
          size_(size) {}

    /// Effects: takes over the blocks of `other`, which is empty afterwards.
    block_chain(block_chain&& other) noexcept
        : first_(std::exchange(other.first_, nullptr)), last_(other.last_),
          size_(std::exchange(other.size_, 0U)) {}

    /// Effects: takes over the blocks of `other`, which is empty afterwards. The blocks of this chain are lost.
    block_chain& operator=(block_chain&& other) noexcept {
        first_ = std::exchange(other.first_, nullptr);
        last_ = other.last_;
        size_ = std::exchange(other.size_, 0U);
        return *this;
    }

    ~block_chain() = default;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Returns: the first block; null if the chain is empty.
    [[nodiscard]] void* front() const noexcept { return first_; }

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

    /// Requires: `p` is usable and has room for a pointer.
    void push_back(void* p) noexcept {
        auto* const block = static_cast<core::free_block*>(p);
        block->next = nullptr;
        append(block);
        last_ = block;
        ++size_;
    }

    /// Effects: takes the first block off.
    /// Returns: the block; null if the chain is empty.
    void* pop_front() noexcept {
        core::free_block* const block = first_;
        if (block != nullptr) [[likely]] {
            first_ = block->next;
            --size_;
        }
        return block;
    }

    /// Effects: calls `use(block)` for every block in order, after its link was read. `use` may write to the
    /// block; the chain is broken then.
    ///
    /// Blocks of a burst mostly lie side by side. So the address of the next block is guessed from the last step,
    /// and the processor goes on with the guess while the link is on its way.
    template <class Use>
    void for_each(Use use) const noexcept {
        // As numbers, because the guess behind the last block may be no valid address.
        std::uintptr_t step = 0;
        auto block = reinterpret_cast<std::uintptr_t>(first_);
        // Counted, because a chain that has a block twice leads back to it.
        for (std::size_t remaining = size_; remaining != 0; --remaining) {
            const auto next =
                reinterpret_cast<std::uintptr_t>(reinterpret_cast<core::free_block*>(block)->next);
            std::uintptr_t guessed = block + step; // NOLINT(misc-const-correctness): the asm writes to it
            use(reinterpret_cast<void*>(block));
            if (next == guessed) [[likely]] {
                MALLARD_KEEP("+r"(guessed)); // or the compiler takes the one that was read
                block = guessed;
            } else {
                step = next - block;
                block = next;
            }
        }
    }

    /// Effects: moves all blocks of `other` behind those of this chain; `other` is empty afterwards.
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

}} // namespace mallard::MALLARD_LIBRARY
