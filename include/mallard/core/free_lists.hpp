/// Free blocks by size class, last freed first.
///
///     heads_ -> [ class 0 | class 1 | ... | class size_ - 1 ]
///                   |                                 each head starts a list that runs through the free blocks
///
/// The table of heads needs no memory of its own: it lives in a free block. A block of class c holds at least
/// c + 1 pointers (8 bytes for class 0, 16 for class 1, and more than that beyond 128 bytes), so the first
/// block of the largest class freed so far can always hold the heads of all classes up to its own. Hence a
/// pool that never frees has no table, one that frees nodes of 24 bytes has a table of 24 bytes, and freeing
/// never asks anybody for memory.
///
/// Invariants: the table occupies exactly one block, of class size_class(8 * size_); classes from size_ on
/// have no free blocks. Free blocks are poisoned under AddressSanitizer, and so is the table.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/size_classes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mallard {

class free_lists {
public:
    /// Returns: a block of class `index`, still poisoned, or null where none is free.
    [[nodiscard]] void* pop(std::size_t index) noexcept {
        if (index >= size_) {
            return nullptr;
        }
        node* block = read(heads_ + index);
        if (block != nullptr) [[likely]] {
            write(heads_ + index, read(&block->next));
        }
        return block;
    }

    /// Effects: makes `p`, a block of class `index`, free.
    /// Returns: false, with no effect, where the table does not reach that class yet: call reach() then.
    [[nodiscard]] bool push(void* p, std::size_t index) noexcept {
        if (index >= size_) [[unlikely]] {
            return false;
        }
        auto* block = static_cast<node*>(p);
        write(&block->next, read(heads_ + index));
        write(heads_ + index, block);
        poison(block, class_bytes(index));
        return true;
    }

    /// Effects: uses `p`, a block of class `index`, as the table from now on, for up to `classes` classes.
    /// The block that held it until now becomes free, as does what the new block has to spare.
    /// Requires: `classes > index`, and push() refused the block.
    void reach(void* p, std::size_t index, std::size_t classes) noexcept {
        auto** heads = static_cast<node**>(p);
        const std::size_t block_bytes = class_bytes(index);
        const std::size_t size = std::min(block_bytes / sizeof(node*), classes);
        node** const old_heads = heads_;
        const std::size_t old_size = size_;
        unpoison(p, block_bytes);
        unpoison(static_cast<void*>(old_heads), old_size * sizeof(node*));
        std::copy(old_heads, old_heads + old_size, heads);
        std::fill(heads + old_size, heads + size, nullptr);
        poison(p, block_bytes);
        heads_ = heads;
        size_ = static_cast<std::uint32_t>(size);
        if (old_size != 0) {
            static_cast<void>(push(static_cast<void*>(old_heads), table_class(old_size)));
        }
        donate(static_cast<std::byte*>(p) + class_bytes(table_class(size)),
               block_bytes - class_bytes(table_class(size)), classes);
    }

    /// Effects: makes as large a block as possible of [p, p + bytes), memory that no block covers, free.
    /// Requires: `p` is a multiple of 8.
    void donate(std::byte* p, std::size_t bytes, std::size_t classes) noexcept {
        // Larger blocks may have to lie at multiples of 16.
        const std::size_t small = padding_to(p, 16);
        if (bytes >= small + sizeof(node)) {
            const std::size_t index = std::min(size_class_within(bytes - small), classes - 1);
            free(p + small, index, classes);
        }
        if (small != 0 && bytes >= small) {
            free(p, 0, classes);
        }
    }

    /// Effects: forgets every block.
    void clear() noexcept {
        heads_ = nullptr;
        size_ = 0;
    }

private:
    struct node {
        node* next;
    };

    void free(std::byte* p, std::size_t index, std::size_t classes) noexcept {
        if (!push(p, index)) {
            reach(p, index, classes);
        }
    }

    MALLARD_READS_POISONED static node* read(node* const* from) noexcept { return *from; }
    MALLARD_READS_POISONED static void write(node** to, node* value) noexcept { *to = value; }

    static constexpr std::size_t table_class(std::size_t size) noexcept {
        return size_class(size * sizeof(node*));
    }

    node** heads_ = nullptr;
    std::uint32_t size_ = 0;
};

} // namespace mallard
