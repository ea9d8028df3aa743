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
/// the second word of its first block leads to those freed since. Blocks of 8 bytes have no second word; they
/// are given out last freed first.
#pragma once

#include <mallard/core/free_lists.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard {

/// The list of core/free_lists.hpp is one of the two above.
struct first_freed_links {
    static free_block* pop(free_block** list, std::size_t index) noexcept {
        free_block* first = read_link(list);
        if (first == nullptr) {
            return nullptr;
        }
        free_block* freed_since = nullptr;
        if (!is_tagged(first)) [[likely]] {
            free_block* older = read_link(&first->next);
            if (older == nullptr) [[likely]] {
                write_link(list, nullptr);
                return first;
            }
            if (index == 0) {
                write_link(list, older);
                return first;
            }
            first = turned_round(first);
        } else {
            first = with_tag_turned(first);
            freed_since = read_link(second_word(first));
        }
        if (free_block* second = read_link(&first->next)) {
            write_link(second_word(second), freed_since);
            write_link(list, with_tag_turned(second));
        } else {
            write_link(list, freed_since);
        }
        return first;
    }

    static void push(free_block** list, free_block* block, std::size_t) noexcept {
        free_block* first = read_link(list);
        if (is_tagged(first)) [[unlikely]] {
            list = second_word(with_tag_turned(first));
            first = read_link(list);
        }
        write_link(&block->next, first);
        write_link(list, block);
    }

private:
    [[gnu::noinline]] static free_block* turned_round(free_block* newest) noexcept {
        free_block* turned = nullptr;
        while (newest != nullptr) {
            free_block* older = read_link(&newest->next);
            write_link(&newest->next, turned);
            turned = newest;
            newest = older;
        }
        return turned;
    }

    static free_block** second_word(free_block* block) noexcept { return &block->next + 1; }

    static bool is_tagged(const free_block* p) noexcept {
        return (reinterpret_cast<std::uintptr_t>(p) & 1) != 0;
    }

    /// Returns: `p` without the tag where it has one, and with it where it has none.
    static free_block* with_tag_turned(free_block* p) noexcept {
        return reinterpret_cast<free_block*>(reinterpret_cast<std::uintptr_t>(p) ^ 1);
    }
};

class first_freed : public free_lists<first_freed_links> {};

static_assert(reuse_order<first_freed>);

} // namespace mallard
