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

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

template <class Links, class Size = size_of_one>
class free_list : public carves_size<Size> {
public:
    /// Requires: `block_bytes` is a multiple of 4, at least the size of a pointer.
    explicit constexpr free_list(std::size_t block_bytes, std::size_t = fundamental_alignment) noexcept
        : carves_size<Size>(block_bytes) {}

    /// Returns: a block, still poisoned; null if none is free.
    [[nodiscard, gnu::always_inline]] void* pop() noexcept { return Links::pop(&list_, this->size()); }

    /// Effects: makes `p` free and poisons it.
    [[gnu::always_inline]] void push(void* p) noexcept {
        Links::push(&list_, static_cast<core::free_block*>(p), this->size());
        core::poison(p, this->block_bytes());
    }

    [[nodiscard]] bool empty() const noexcept { return list_ == nullptr; }

    /// Effects: forgets all blocks.
    void clear() noexcept { list_ = nullptr; }

private:
    core::free_block* list_ = nullptr;
};

}} // namespace mallard::reuse::MALLARD_LIBRARY
