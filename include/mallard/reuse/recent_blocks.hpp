/// Pointers to the few blocks freed most recently, in front of a larger store; last freed first.
///
///     blocks_  [ p | p | p | . | . ] <- last freed      full: the older half goes to the store
///                                                       empty: refilled from the store
///
/// A block that is freed and allocated again at once is still in the cache, and the store is not accessed.
/// Invariant: to the store, these blocks are in use.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace mallard::reuse::inline MALLARD_MODE {

class recent_blocks {
public:
    static constexpr std::size_t capacity = 12;

    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

    /// Returns: the block put in last. If there is none, up to half of the capacity is refilled with `next()`;
    /// null if that gives none.
    template <class Next>
    [[nodiscard]] void* pop(Next next) noexcept {
        if (count_ == 0) [[unlikely]] {
            refill(next);
            if (count_ == 0) {
                return nullptr;
            }
        }
        return blocks_[--count_];
    }

    /// Effects: puts `p` in. If there is no room, `give(block)` gets the older half first.
    template <class Give>
    void push(void* p, Give give) noexcept {
        if (count_ == capacity) [[unlikely]] {
            flush(capacity / 2, give);
        }
        blocks_[count_++] = p;
    }

    /// Effects: `give(block)` gets all blocks.
    template <class Give>
    void flush(Give give) noexcept {
        flush(count_, give);
    }

    /// Effects: forgets all blocks.
    void clear() noexcept { count_ = 0; }

private:
    template <class Next>
    [[gnu::noinline]] void refill(Next next) noexcept {
        while (count_ < capacity / 2) {
            void* block = next();
            if (block == nullptr) {
                break;
            }
            blocks_[count_++] = block;
        }
        std::reverse(blocks_.begin(), blocks_.begin() + count_);
    }

    /// Effects: hands over the `number` oldest blocks.
    template <class Give>
    [[gnu::noinline]] void flush(std::size_t number, Give give) noexcept {
        std::for_each(blocks_.begin(), blocks_.begin() + number, give);
        std::copy(blocks_.begin() + number, blocks_.begin() + count_, blocks_.begin());
        count_ -= number;
    }

    std::size_t count_ = 0;
    std::array<void*, capacity> blocks_{};
};

} // namespace mallard::reuse::inline MALLARD_MODE
