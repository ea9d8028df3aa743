/// The order of reuse "first freed first".
///
///     table -> last freed -> first freed -> second freed -> ... -+
///                 ^----------------------------------------------+
///
/// A structure whose elements leave in the order of their addresses, as a queue's do, has its blocks given out
/// in that order again, however long it lives. The price: the block that is given out is the one that was
/// touched longest ago, and all blocks that a pool holds are in use in turn.
///
/// Invariant: a list is a circle, so that one pointer, to the block freed last, reaches both of its ends.
#pragma once

#include <mallard/core/free_lists.hpp>

namespace mallard {

/// The list of core/free_lists.hpp leads to the block freed last, and that to the first.
struct first_freed_links {
    static free_block* pop(free_block** list) noexcept {
        free_block* last = read_link(list);
        if (last == nullptr) [[unlikely]] {
            return nullptr;
        }
        free_block* first = read_link(&last->next);
        if (first == last) [[likely]] {
            write_link(list, nullptr);
            return last; // and not `first`, which has to be waited for
        }
        write_link(&last->next, read_link(&first->next));
        return first;
    }

    static void push(free_block** list, free_block* block) noexcept {
        if (free_block* last = read_link(list)) {
            write_link(&block->next, read_link(&last->next));
            write_link(&last->next, block);
        } else {
            write_link(&block->next, block);
        }
        write_link(list, block);
    }
};

class first_freed : public free_lists<first_freed_links> {};

static_assert(reuse_order<first_freed>);

} // namespace mallard
