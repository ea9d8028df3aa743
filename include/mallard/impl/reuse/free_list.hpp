/// The free blocks of one size, in a list.
///
///     list_ -> block -> block -> ...      `Links` defines the list
///
/// `Links` also chooses the next block (reuse/last_freed.hpp, reuse/first_freed.hpp); it receives whether a block
/// has a second word to write to. Free blocks are poisoned under AddressSanitizer, links and all.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/order.hpp>

namespace mallard::reuse::inline MALLARD_LIBRARY {

/// The size of the blocks of a list.
class size_of_one {
public:
    using links = core::links<false>; // a multiple of 4 is aligned for no pointer

    explicit constexpr size_of_one(std::size_t bytes) noexcept : bytes_(bytes) {}
    [[nodiscard, gnu::always_inline]] constexpr std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard, gnu::always_inline]] constexpr bool is(std::size_t bytes) const noexcept {
        return bytes == bytes_;
    }
    [[nodiscard, gnu::always_inline]] constexpr bool holds(std::size_t bytes) const noexcept {
        return bytes <= bytes_;
    }

private:
    std::size_t bytes_;
};

template <class Links>
class free_list : public carves_one_size {
public:
    /// Requires: `block_bytes` is a multiple of 4, at least the size of a pointer.
    explicit constexpr free_list(std::size_t block_bytes, std::size_t = fundamental_alignment) noexcept
        : carves_one_size(block_bytes) {}

    /// Returns: a block, still poisoned; null if none is free.
    [[nodiscard, gnu::always_inline]] void* pop() noexcept {
        return Links::pop(&list_, size_of_one(block_bytes()));
    }

    /// Effects: makes `p` free and poisons it.
    [[gnu::always_inline]] void push(void* p) noexcept {
        Links::push(&list_, static_cast<core::free_block*>(p), size_of_one(block_bytes()));
        core::poison(p, block_bytes());
    }

    [[nodiscard]] bool empty() const noexcept { return list_ == nullptr; }

    /// Effects: forgets all blocks.
    void clear() noexcept { list_ = nullptr; }

private:
    core::free_block* list_ = nullptr;
};

} // namespace mallard::reuse::inline MALLARD_LIBRARY
