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
#include <mallard/reuse/free_list.hpp>
#include <mallard/reuse/free_lists.hpp>

#include <cstddef>

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

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

/// The same in a table of lists. The link of the block that comes next may have left the cache, so it is fetched ahead.
class linked_stack {
public:
    [[nodiscard, gnu::always_inline]] core::free_block* pop() noexcept {
        core::free_block* const last = link::read(&last_);
        if (last != nullptr) [[likely]] {
            core::free_block* const next = link::read(last);
            MALLARD_PREFETCH(next, 1);
            link::write(&last_, next);
        }
        return last;
    }

    [[gnu::always_inline]] void push(core::free_block* block) noexcept {
        link::write(block, link::read(&last_));
        link::write(&last_, block);
    }

private:
    using link = core::links<true>; // blocks and tables lie at multiples of 8

    core::free_block* last_;
};

}} // namespace mallard::reuse::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

struct last_freed {
    template <size_class_policy Classes>
    using by_class = reuse::free_lists<reuse::last_freed_links, reuse::linked_stack, Classes>;
    using of_one_size = reuse::free_list<reuse::last_freed_links>;
    template <std::size_t Bytes>
    using of_static_size = reuse::free_list<reuse::last_freed_links, reuse::static_size<Bytes>>;
};

static_assert(reuse_order<last_freed>);

}} // namespace mallard::MALLARD_LIBRARY
