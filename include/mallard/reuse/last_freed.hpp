/// The order of reuse "last freed first".
///
///     list -> last freed -> the one before -> ... -> first freed -> null
///
/// A block that was in use a moment ago is still in the cache, so this is the cheapest order for pairs. But
/// blocks that return in the order of their addresses are reused in reverse, and after a while in no order: a
/// long-lived structure that changes all the time scatters over all memory of the pool.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/impl/reuse/free_list.hpp>
#include <mallard/impl/reuse/free_lists.hpp>

#include <cstddef>

namespace mallard::reuse::inline MALLARD_LIBRARY {

/// The list begins with the block freed last.
struct last_freed_links {
    template <class Size>
    [[gnu::always_inline]] static core::free_block* pop(core::free_block** list, Size) noexcept {
        core::free_block* last = place::read(list);
        if (last != nullptr) [[likely]] {
            place::write(list, Size::links::read(last));
        }
        return last;
    }

    template <class Size>
    [[gnu::always_inline]] static void push(core::free_block** list, core::free_block* block, Size) noexcept {
        Size::links::write(block, place::read(list));
        place::write(list, block);
    }

private:
    using place = core::links<true>; // of the list itself
};

} // namespace mallard::reuse::inline MALLARD_LIBRARY

namespace mallard::inline MALLARD_LIBRARY {

struct last_freed {
    template <size_class_policy Classes>
    using by_class = reuse::free_lists<reuse::last_freed_links, Classes>;
    using of_one_size = reuse::free_list<reuse::last_freed_links>;
};

static_assert(reuse_order<last_freed>);

} // namespace mallard::inline MALLARD_LIBRARY
