/// Free blocks by size class: a list for each, found through a single pointer (impl/reuse/class_table.hpp).
///
///     one class freed so far:    the list of that class
///     several classes:           -> [ class 0 | class 1 | ... | class n - 1 ], each leads to a list
///
/// The table needs no separate memory: it lives in a free block. A block of class c holds at least c + 1
/// pointers (reuse/size_classes.hpp), so a free block of the largest class freed so far holds the lists of all
/// classes up to its own. Hence freeing needs no memory, and a pool that frees nodes of 24 bytes and strings of
/// 32 has a table of 32 bytes.
///
/// `Links` defines the form of a list and the next block (impl/reuse/free_list.hpp).
///
/// pop(), push(), carve() and all that they call are inlined by force: in a large file the compiler gives up, and a
/// container's allocation becomes several calls.
///
/// Invariants: the table occupies exactly one block, of the class of 8 * n bytes; classes from n on have no free
/// blocks. Free blocks and the table are poisoned under AddressSanitizer.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/reuse/class_table.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mallard::reuse::inline MALLARD_LIBRARY {

template <class Links, size_class_policy Classes>
class free_lists : public carves_by_class<Classes> {
public:
    /// Returns: a block of class `index`, still poisoned; null if none is free.
    [[nodiscard, gnu::always_inline]] void* pop(std::size_t index) noexcept {
        core::free_block** list = lists_.find(index);
        return list != nullptr ? Links::pop(list, size_of_class(index)) : nullptr;
    }

    /// Effects: makes `p`, a block of class `index`, free.
    /// Returns: false, with no effect, if that class has no list yet: call reach() then.
    [[nodiscard, gnu::always_inline]] bool push(void* p, std::size_t index) noexcept {
        core::free_block** list = lists_.find(index);
        if (list == nullptr) [[unlikely]] {
            return false;
        }
        Links::push(list, static_cast<core::free_block*>(p), size_of_class(index));
        core::poison(p, Classes::bytes(index));
        return true;
    }

    /// Effects: makes `p`, a block of class `index`, free: as the first of its list, or as the new table for up
    /// to `classes` classes. The block that held the old table becomes free, and so do the spare bytes of the new
    /// one.
    /// Requires: `classes > index`, and push() refused the block.
    void reach(void* p, std::size_t index, std::size_t classes) noexcept {
        if (lists_.is_table()) {
            void* const old_table = static_cast<void*>(lists_.table());
            const std::size_t old_size = lists_.size();
            move_table(p, index, classes);
            free(old_table, table_class(old_size), classes);
            return;
        }
        const std::size_t only = lists_.size() - 1;
        void* const only_block = lists_.size() == 0 ? nullptr : pop(only);
        if (only_block == nullptr) {
            lists_.use_word_for(index);
            free(p, index, classes);
            return;
        }
        // The larger of two classes has blocks that are large enough.
        move_table(only < index ? p : only_block, std::max(only, index), classes);
        free(only < index ? only_block : p, std::min(only, index), classes);
    }

    /// Effects: makes a free block of [p, p + bytes), as large as possible.
    /// Requires: no block covers that memory; `p` is a multiple of 8.
    void donate(std::byte* p, std::size_t bytes, std::size_t classes) noexcept {
        // Larger blocks may have to lie at multiples of 16.
        const std::size_t small = core::padding_to(p, 16);
        if (bytes >= small + sizeof(core::free_block)) {
            const std::size_t index = std::min(Classes::within(bytes - small), classes - 1);
            free(p + small, index, classes);
        }
        if (small != 0 && bytes >= small) {
            free(p, 0, classes);
        }
    }

    /// Effects: forgets all blocks.
    void clear() noexcept { lists_.clear(); }

private:
    /// The size of the blocks of a class, which is computed when it is needed.
    class size_of_class {
    public:
        using links = core::links<true>; // blocks lie at multiples of 8

        explicit constexpr size_of_class(std::size_t index) noexcept : index_(index) {}
        [[nodiscard, gnu::always_inline]] constexpr std::size_t bytes() const noexcept {
            return Classes::bytes(index_);
        }
        [[nodiscard, gnu::always_inline]] constexpr bool is(std::size_t bytes) const noexcept {
            return index_ == Classes::index(bytes, sizeof(void*));
        }
        [[nodiscard, gnu::always_inline]] constexpr bool holds(std::size_t bytes) const noexcept {
            return index_ >= Classes::index(bytes, sizeof(void*));
        }

    private:
        std::size_t index_;
    };

    void free(void* p, std::size_t index, std::size_t classes) noexcept {
        if (!push(p, index)) {
            reach(p, index, classes);
        }
    }

    /// Effects: makes a table of `p`, a block of class `index`, and moves the lists there.
    void move_table(void* p, std::size_t index, std::size_t classes) noexcept {
        const std::size_t block_bytes = Classes::bytes(index);
        const std::size_t size = std::min(block_bytes / sizeof(core::free_block*), classes);
        if (lists_.is_table()) {
            core::unpoison(static_cast<void*>(lists_.table()), lists_.size() * sizeof(core::free_block*));
        }
        core::unpoison(p, block_bytes);
        lists_.use_table(p, size);
        core::poison(p, block_bytes);
        const std::size_t kept_bytes = Classes::bytes(table_class(size));
        donate(static_cast<std::byte*>(p) + kept_bytes, block_bytes - kept_bytes, classes);
    }

    static constexpr std::size_t table_class(std::size_t size) noexcept {
        return Classes::index(size * sizeof(core::free_block*), sizeof(core::free_block*));
    }

    [[no_unique_address]] class_table<core::free_block> lists_; // lends its last bytes to the next member
};

} // namespace mallard::reuse::inline MALLARD_LIBRARY
