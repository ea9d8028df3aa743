/// A check of all blocks of a heap against damage from outside.
///
///     if (const mallard::heap_sanity sanity = heap.check_sanity(); !sanity.sound()) {
///         std::fprintf(stderr, "%s: block at %p\n", sanity.defect, sanity.block);
///     }
///
/// A damaged tag is found by its neighbours; links are followed only after it is certain that they lead to a free
/// block of this heap. So the check is safe in any damaged heap: its starting points are verified first (heads
/// of chunks and ranges by their seals, the length of a region by its complement). Only the heap object itself,
/// if it lies outside of its chunks, is taken to be sound.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/heap_sanity.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/quick_fit.hpp>

#include <cstddef>

namespace mallard::space { inline namespace MALLARD_MODE {

/// The check of one heap, room by room.
template <class Links>
class sanity_check {
public:
    using space_type = quick_fit<Links>;

    explicit sanity_check(const space_type& space) noexcept : space_(space) {}

    /// Effects: checks the blocks from `begin` to `end`, the place of the last tag of the room. `owns(address)`
    /// says whether that lies in a room.
    /// Returns: true if they are sound.
    template <class Owns>
    bool look_at_room(std::byte* begin, std::byte* end, Owns owns) noexcept {
        room_bytes_ += static_cast<std::size_t>(end - begin) + space_type::end_bytes;
        bool free_in_front = false;
        std::size_t bytes_in_front = 0;
        for (heap_block b(begin); b.begin() != end;) {
            const std::size_t bytes = space_.credible_bytes(b, end);
            if (b.begin() == space_.remainder_begin()) {
                if (bytes == 0) {
                    return broken(b, "the end of the remainder is damaged");
                }
                if (free_in_front) {
                    return broken(b, "two free blocks are neighbours");
                }
                b = b.behind(bytes);
                ++remainders_;
                if (!b.is(heap_block::previous_in_use)) {
                    return broken(b, "the word behind the remainder is damaged");
                }
                if (!b.is(heap_block::in_use)) {
                    return broken(b, "two free blocks are neighbours");
                }
                continue;
            }
            if (bytes == 0 || b.is(heap_block::reserved)) {
                return broken(b, "the size in the word in front of the block is damaged");
            }
            if (b.is(heap_block::previous_in_use) == free_in_front ||
                (free_in_front && b.bytes_in_front() != bytes_in_front)) {
                return broken(b, "the word in front of the block, or the end of the free block before it, is "
                                 "damaged");
            }
            const bool free = !b.is(heap_block::in_use);
            const bool waits = b.is(heap_block::quick);
            if (waits && (free || !has_sound_quick_link(b, owns))) {
                return broken(b, "the link of the waiting block is damaged");
            }
            waiting_ += waits ? 1 : 0;
            if (free && free_in_front) {
                return broken(b, "two free blocks are neighbours");
            }
            if (const heap_block damaged = free ? damaged_by_links(b, owns) : heap_block()) {
                return broken(damaged, "the links of the free block are damaged");
            }
            free_in_front = free;
            bytes_in_front = bytes;
            b = b.behind(bytes);
        }
        const heap_block last(end);
        if (last.tag() != (heap_block::in_use | (free_in_front ? 0 : heap_block::previous_in_use))) {
            return broken(last, "the word at the end of a room is damaged");
        }
        return true;
    }

    /// Effects: checks, after all rooms, that the quick lists have all waiting blocks, once each.
    template <class Owns>
    void look_at_quick_lists(Owns owns) noexcept {
        const auto waits = [&](heap_block b, std::size_t bytes) {
            return owns(b.begin()) && b.is(heap_block::quick) && b.bytes() == bytes;
        };
        if (result_.sound() && !space_.quick().are_sound(waiting_, room_bytes_, waits)) {
            result_.defect = "a list of waiting blocks is damaged";
        }
    }

    /// Returns: the first damage, or damage that shows only after all rooms.
    [[nodiscard]] heap_sanity result() noexcept {
        if (result_.sound() && (firsts_ != space_.bins().bins_in_use() || !space_.bins().is_consistent())) {
            result_.defect = "a list of free blocks is damaged";
        }
        const bool has_remainder = space_.remainder_begin() != nullptr || space_.remainder_end() != nullptr;
        if (result_.sound() && remainders_ != (has_remainder ? 1U : 0U)) {
            result_.defect = "the remainder lies in no room";
        }
        return result_;
    }

private:
    bool broken(heap_block b, const char* defect) noexcept {
        result_ = {defect, b.payload()};
        return false;
    }

    template <class Owns>
    bool has_sound_quick_link(heap_block b, Owns owns) noexcept {
        const heap_block next = Links::load(b.next_link());
        return !next || (owns(next.begin()) && next.is(heap_block::quick) && next.bytes() == b.bytes());
    }

    /// Returns: `b`, or its neighbour in the bin, if its links are damaged; null if neither's are. If the two
    /// contradict each other, it is the one that contradicts a third block too.
    template <class Owns>
    heap_block damaged_by_links(heap_block b, Owns owns) noexcept {
        const auto is_free = [&owns](heap_block neighbour) {
            return owns(neighbour.begin()) && !neighbour.is(heap_block::in_use);
        };
        const heap_block next = Links::load(b.next_link());
        const heap_block previous = Links::load(b.previous_link());
        if ((next && !is_free(next)) || (previous && !is_free(previous))) {
            return b;
        }
        if (next && Links::load(next.previous_link()) != b) {
            const heap_block neighbour = Links::load(next.previous_link());
            const bool confirmed = neighbour
                                       ? is_free(neighbour) && Links::load(neighbour.next_link()) == next
                                       : space_.bins().is_first(next, next.bytes());
            return confirmed ? b : next;
        }
        if (previous && Links::load(previous.next_link()) != b) {
            const heap_block neighbour = Links::load(previous.next_link());
            const bool confirmed =
                neighbour && is_free(neighbour) && Links::load(neighbour.previous_link()) == previous;
            return confirmed ? b : previous;
        }
        if (previous) {
            return {};
        }
        ++firsts_;
        return space_.bins().is_first(b, b.bytes()) ? heap_block() : b;
    }

    const space_type& space_;
    heap_sanity result_;
    std::size_t firsts_ = 0;
    std::size_t remainders_ = 0;
    std::size_t waiting_ = 0;
    std::size_t room_bytes_ = 0;
};

}} // namespace mallard::space::MALLARD_MODE
