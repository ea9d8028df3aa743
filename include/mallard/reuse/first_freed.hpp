/// The order of reuse "first freed first".
///
///     list -> newest -> ... -> oldest -> null                 nothing was taken since these blocks were freed
///     list => oldest => ... => last -> newest -> ... -> null  tagged, oldest first; then the blocks freed since
///               +----------------^                            each tagged block knows the last tagged one
///
/// A structure whose elements leave in the order of their addresses, such as a queue, gets its blocks in that
/// order again, however long it lives. The price: the next block is the one that was touched longest ago, and all
/// blocks of a pool are used in turn.
///
/// It is a queue of two stacks: freeing pushes onto one, and when the other is empty, the first is reversed. So
/// freeing touches the block and nothing else outside the cache, which a list with a pointer to its end cannot
/// do, and each block is reversed once: constant time on average. Taking a block reads one link and writes it to
/// the list, in both states.
/// Invariants: a link to a reversed block is tagged in its lowest bit. The second word of each reversed block
/// leads to the last of them, whose link leads to the blocks freed since. Blocks without a second word, of fewer
/// than 16 bytes, are reused last freed first.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/reuse/free_list.hpp>
#include <mallard/reuse/free_lists.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard::reuse::inline MALLARD_MODE {

/// The list has one of the two forms above.
struct first_freed_links {
    static core::free_block* pop(core::link_in_place* list, bool has_second_word) noexcept {
        core::free_block* first = core::read_link(list);
        if (first == nullptr) {
            return nullptr;
        }
        if (!is_tagged(first)) [[likely]] {
            core::free_block* older = core::read_link(core::link_of(first));
            if (older == nullptr) [[likely]] {
                core::write_link(list, nullptr);
                return first;
            }
            if (!has_second_word) {
                core::write_link(list, older);
                return first;
            }
            first = turned_round(first);
        } else {
            first = with_tag_turned(first);
        }
        core::write_link(list, core::read_link(core::link_of(first)));
        return first;
    }

    static void push(core::link_in_place* list, core::free_block* block) noexcept {
        core::link_in_place* newest = list;
        core::free_block* first = core::read_link(newest);
        if (is_tagged(first)) [[unlikely]] {
            newest = core::link_of(core::read_link(second_word(with_tag_turned(first))));
            first = core::read_link(newest);
        }
        core::write_link(core::link_of(block), first);
        core::write_link(newest, block);
    }

private:
    /// Returns: the oldest block.
    [[gnu::noinline]] static core::free_block* turned_round(core::free_block* newest) noexcept {
        core::free_block* oldest = newest;
        core::free_block* next = core::read_link(core::link_of(newest));
        core::write_link(core::link_of(newest), nullptr);
        core::write_link(second_word(newest), newest);
        while (next != nullptr) {
            core::free_block* older = core::read_link(core::link_of(next));
            core::write_link(core::link_of(next), with_tag_turned(oldest));
            core::write_link(second_word(next), newest);
            oldest = next;
            next = older;
        }
        return oldest;
    }

    static core::link_in_place* second_word(core::free_block* block) noexcept {
        return core::link_of(block + 1);
    }

    static bool is_tagged(const core::free_block* p) noexcept {
        return (reinterpret_cast<std::uintptr_t>(p) & 1) != 0;
    }

    /// Returns: `p` with its tag flipped.
    static core::free_block* with_tag_turned(core::free_block* p) noexcept {
        return reinterpret_cast<core::free_block*>(reinterpret_cast<std::uintptr_t>(p) ^ 1);
    }
};

} // namespace mallard::reuse::inline MALLARD_MODE

namespace mallard::inline MALLARD_MODE {

struct first_freed {
    template <size_class_policy Classes>
    using by_class = reuse::free_lists<reuse::first_freed_links, Classes>;
    using of_one_size = reuse::free_list<reuse::first_freed_links>;
};

static_assert(reuse_order<first_freed>);

} // namespace mallard::inline MALLARD_MODE
