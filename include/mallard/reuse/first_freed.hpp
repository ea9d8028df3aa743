/// The order of reuse "first freed first".
///
///     list -> newest -> ... -> oldest -> null                 nothing was taken since the first of them came
///     list => oldest => ... => last -> newest -> ... -> null  tagged, oldest first; then those freed since
///               +----------------^                            ... to which each of the former knows the way
///
/// A structure whose elements leave in the order of their addresses, as a queue's do, has its blocks given
/// out in that order again, however long it lives. The price: the block that is given out is the one that was
/// touched longest ago, and all blocks that a pool holds are in use in turn.
///
/// A queue of two stacks: freeing pushes onto one, and where the other has nothing left, the first is turned
/// round. So freeing touches the block and nothing else that is not in the cache, which a list with a pointer
/// to its end cannot do, and each block is turned round once: constant time on average. Taking a block reads
/// one link and writes it to the list, in both states.
/// Invariants: a link to a block of the list that was turned round is tagged in its lowest bit; the second
/// word of each of those leads to the last of them, whose link leads to those freed since. Blocks without a
/// second word, of fewer than 16 bytes, are given out last freed first.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/reuse/free_list.hpp>
#include <mallard/reuse/free_lists.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard::inline MALLARD_MODE {

/// The list is one of the two above.
struct first_freed_links {
    static free_block* pop(link_in_place* list, bool has_second_word) noexcept {
        free_block* first = read_link(list);
        if (first == nullptr) {
            return nullptr;
        }
        if (!is_tagged(first)) [[likely]] {
            free_block* older = read_link(link_of(first));
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
        }
        write_link(list, read_link(link_of(first)));
        return first;
    }

    static void push(link_in_place* list, free_block* block) noexcept {
        link_in_place* newest = list;
        free_block* first = read_link(newest);
        if (is_tagged(first)) [[unlikely]] {
            newest = link_of(read_link(second_word(with_tag_turned(first))));
            first = read_link(newest);
        }
        write_link(link_of(block), first);
        write_link(newest, block);
    }

private:
    /// Returns: the oldest block.
    [[gnu::noinline]] static free_block* turned_round(free_block* newest) noexcept {
        free_block* oldest = newest;
        free_block* next = read_link(link_of(newest));
        write_link(link_of(newest), nullptr);
        write_link(second_word(newest), newest);
        while (next != nullptr) {
            free_block* older = read_link(link_of(next));
            write_link(link_of(next), with_tag_turned(oldest));
            write_link(second_word(next), newest);
            oldest = next;
            next = older;
        }
        return oldest;
    }

    static link_in_place* second_word(free_block* block) noexcept { return link_of(block + 1); }

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

} // namespace mallard::inline MALLARD_MODE
