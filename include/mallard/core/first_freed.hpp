/// The order of reuse "first freed first".
///
///     list -> newest -> ... -> oldest -> null                  nothing was taken since the first of them came
///     list => oldest -> ... -> newest of these -> null         tagged: these are given out first,
///               +----> newest -> ... -> oldest of those        ... and then those, freed since then
///
/// A structure whose elements leave in the order of their addresses, as a queue's do, has its blocks given
/// out in that order again, however long it lives. The price: the block that is given out is the one that was
/// touched longest ago, and all blocks that a pool holds are in use in turn.
///
/// A queue of two stacks: freeing pushes onto one, and where the other has nothing left, the first is turned
/// round. So freeing touches the block and nothing else that is not in the cache, which a list with a pointer
/// to its end cannot do, and each block is turned round once: constant time on average.
/// Invariants: of a list that is given out oldest first, the pointer to it is tagged in its lowest bit, and
/// the second word of its first block leads to those freed since. Blocks without a second word, of fewer than
/// 16 bytes, are given out last freed first.
#pragma once

#include <mallard/core/free_block.hpp>
#include <mallard/core/free_list.hpp>
#include <mallard/core/free_lists.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard {

/// The list is one of the two above.
struct first_freed_links {
    static free_block* pop(free_block** list, bool has_second_word) noexcept {
        free_block* first = read_link(list);
        if (first == nullptr) {
            return nullptr;
        }
        free_block* freed_since = nullptr;
        if (!is_tagged(first)) [[likely]] {
            free_block* older = read_link(first);
            if (older == nullptr) [[likely]] {
                write_link(list, nullptr);
                return first;
            }
            if (!has_second_word) {
                write_link(list, older);
                return first;
            }
            first = turned_round(first);
        } else {
            first = with_tag_turned(first);
            freed_since = read_link(second_word(first));
        }
        if (free_block* second = read_link(first)) {
            write_link(second_word(second), freed_since);
            write_link(list, with_tag_turned(second));
        } else {
            write_link(list, freed_since);
        }
        return first;
    }

    static void push(free_block** list, free_block* block) noexcept {
        void* newest = list;
        free_block* first = read_link(newest);
        if (is_tagged(first)) [[unlikely]] {
            newest = second_word(with_tag_turned(first));
            first = read_link(newest);
        }
        write_link(block, first);
        write_link(newest, block);
    }

private:
    [[gnu::noinline]] static free_block* turned_round(free_block* newest) noexcept {
        free_block* turned = nullptr;
        while (newest != nullptr) {
            free_block* older = read_link(newest);
            write_link(newest, turned);
            turned = newest;
            newest = older;
        }
        return turned;
    }

    static void* second_word(free_block* block) noexcept { return block + 1; }

    static bool is_tagged(const free_block* p) noexcept {
        return (reinterpret_cast<std::uintptr_t>(p) & 1) != 0;
    }

    /// Returns: `p` without the tag where it has one, and with it where it has none.
    static free_block* with_tag_turned(free_block* p) noexcept {
        return reinterpret_cast<free_block*>(reinterpret_cast<std::uintptr_t>(p) ^ 1);
    }
};

struct first_freed {
    template <size_class_policy Classes>
    using by_class = free_lists<first_freed_links, Classes>;
    using of_one_size = free_list<first_freed_links>;
};

static_assert(reuse_order<first_freed>);

} // namespace mallard
