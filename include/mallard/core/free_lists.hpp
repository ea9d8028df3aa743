/// Free blocks by size class: a list for each, which a single pointer leads to.
///
///     lists_ -> [ class 0 | class 1 | ... | class size_ - 1 ]
///                   |                                 each leads to a list that runs through the free blocks
///
/// The table needs no memory of its own: it lives in a free block. A block of class c holds at least c + 1
/// pointers (8 bytes for class 0, 16 for class 1, and more than that beyond 128 bytes), so the first block of
/// the largest class freed so far can always hold the lists of all classes up to its own. Hence a pool that
/// never frees has no table, one that frees nodes of 24 bytes has a table of 24 bytes, and freeing never asks
/// anybody for memory.
///
/// `Links` says how a list runs and which block is the next (core/last_freed.hpp, core/first_freed.hpp).
///
/// Invariants: the table occupies exactly one block, of class size_class(8 * size_); classes from size_ on
/// have no free blocks. Free blocks are poisoned under AddressSanitizer, and so is the table.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/reuse.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/size_classes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mallard {

/// A free block, in a list of such.
struct free_block {
    free_block* next;
};

/// Reads and writes of pointers that lie in poisoned memory.
MALLARD_READS_POISONED inline free_block* read_link(free_block* const* from) noexcept {
    return *from;
}
MALLARD_READS_POISONED inline void write_link(free_block** to, free_block* value) noexcept {
    *to = value;
}

template <class Links>
class free_lists : public carves_blocks {
public:
    /// Returns: a block of class `index`, still poisoned, or null where none is free.
    [[nodiscard]] void* pop(std::size_t index) noexcept {
        return index < size_ ? Links::pop(lists_ + index) : nullptr;
    }

    /// Effects: makes `p`, a block of class `index`, free.
    /// Returns: false, with no effect, where the table does not reach that class yet: call reach() then.
    [[nodiscard]] bool push(void* p, std::size_t index) noexcept {
        if (index >= size_) [[unlikely]] {
            return false;
        }
        Links::push(lists_ + index, static_cast<free_block*>(p));
        poison(p, class_bytes(index));
        return true;
    }

    /// Effects: uses `p`, a block of class `index`, as the table from now on, for up to `classes` classes.
    /// The block that held it until now becomes free, as does what the new block has to spare.
    /// Requires: `classes > index`, and push() refused the block.
    void reach(void* p, std::size_t index, std::size_t classes) noexcept {
        auto** lists = static_cast<free_block**>(p);
        const std::size_t block_bytes = class_bytes(index);
        const std::size_t size = std::min(block_bytes / sizeof(free_block*), classes);
        free_block** const old_lists = lists_;
        const std::size_t old_size = size_;
        unpoison(p, block_bytes);
        unpoison(static_cast<void*>(old_lists), old_size * sizeof(free_block*));
        std::copy(old_lists, old_lists + old_size, lists);
        std::fill(lists + old_size, lists + size, nullptr);
        poison(p, block_bytes);
        lists_ = lists;
        size_ = static_cast<std::uint16_t>(size);
        if (old_size != 0) {
            static_cast<void>(push(static_cast<void*>(old_lists), table_class(old_size)));
        }
        donate(static_cast<std::byte*>(p) + class_bytes(table_class(size)),
               block_bytes - class_bytes(table_class(size)), classes);
    }

    /// Effects: makes as large a block as possible of [p, p + bytes), memory that no block covers, free.
    /// Requires: `p` is a multiple of 8.
    void donate(std::byte* p, std::size_t bytes, std::size_t classes) noexcept {
        // Larger blocks may have to lie at multiples of 16.
        const std::size_t small = padding_to(p, 16);
        if (bytes >= small + sizeof(free_block)) {
            const std::size_t index = std::min(size_class_within(bytes - small), classes - 1);
            free(p + small, index, classes);
        }
        if (small != 0 && bytes >= small) {
            free(p, 0, classes);
        }
    }

    /// Effects: forgets every block.
    void clear() noexcept {
        lists_ = nullptr;
        size_ = 0;
    }

private:
    void free(std::byte* p, std::size_t index, std::size_t classes) noexcept {
        if (!push(p, index)) {
            reach(p, index, classes);
        }
    }

    static constexpr std::size_t table_class(std::size_t size) noexcept {
        return size_class(size * sizeof(free_block*));
    }

    free_block** lists_ = nullptr;
    std::uint16_t size_ = 0; // there are fewer than 2^9 classes
};

} // namespace mallard
