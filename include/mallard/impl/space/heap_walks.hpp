/// Walks over the blocks of a heap: each block, their sums, and whether they are sound.
///
/// Data model: the space of the blocks (impl/space/quick_fit.hpp), and its rooms: chunks (impl/space/chunk_rooms.hpp)
/// or one region (impl/space/region_room.hpp).
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_sanity.hpp>
#include <mallard/impl/space/quick_fit.hpp>
#include <mallard/impl/space/reserved_blocks.hpp>
#include <mallard/impl/space/room_table.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::space { inline namespace MALLARD_MODE {

template <class Rooms, class Links>
class heap_walks {
public:
    /// Effects: calls `f(heap_block_info)` for each block, room by room in the order of their addresses, then for
    /// the large blocks. In a damaged heap the information may be untrue, and the blocks behind an impossible tag
    /// in a room are left out; check_sanity() reports whether it is damaged.
    template <class F>
    void for_each_block(F f) const;

    /// Returns: the sums of all blocks that for_each_block() sees.
    /// Complexity: linear in the blocks.
    [[nodiscard]] heap_use use() const noexcept;

    /// Returns: the first damaged tag or link, if there is one. In any damaged heap no other memory is read, and
    /// the walk ends.
    /// Complexity: linear in the blocks, and in the free ones times the logarithm of the chunks; with more than
    /// room_table::few chunks and no memory left, times the chunks.
    [[nodiscard]] heap_sanity check_sanity() const noexcept;

protected:
    using space_type = quick_fit<Links>;

    template <class... Args>
    explicit constexpr heap_walks(Args&&... rooms) noexcept : rooms_(std::forward<Args>(rooms)...) {}
    ~heap_walks() = default;

    Rooms rooms_;
    space_type space_;
};

template <class Rooms, class Links>
template <class F>
void heap_walks<Rooms, Links>::for_each_block(F f) const {
    const auto tell = [&f](heap_block b, std::size_t bytes, bool in_use, bool waits) {
        f(heap_block_info{b.payload(), bytes - heap_block::tag_bytes, in_use, waits});
    };
    const auto look_at_room = [&](std::byte* begin, const std::byte* end) {
        for (heap_block b(begin); b.begin() != end;) {
            const std::size_t bytes = space_.credible_bytes(b, end);
            if (bytes == 0) {
                break;
            }
            const bool merged = b.begin() == space_.remainder_begin() || !b.is(heap_block::in_use);
            const bool waits = !merged && b.is(heap_block::quick);
            tell(b, bytes, !merged && !waits, waits);
            b = b.behind(bytes);
        }
        return true;
    };
    if (rooms_.damaged().sound()) {
        rooms_.walk_rooms(look_at_room);
    }
    static_cast<void>(rooms_.find_large([&](heap_block b) { tell(b, b.bytes(), true, false); }));
}

template <class Rooms, class Links>
heap_use heap_walks<Rooms, Links>::use() const noexcept {
    heap_use sum;
    const allocator_stats held = rooms_.stats();
    sum.held_bytes = held.chunk_bytes + held.large_bytes;
    for_each_block([&sum](const heap_block_info& b) {
        (b.in_use ? sum.used_blocks : sum.free_blocks) += 1;
        (b.in_use ? sum.used_bytes : sum.free_bytes) += b.bytes;
        sum.waiting_blocks += b.waits ? 1 : 0;
        if (!b.in_use) {
            sum.largest_free_bytes = core::max(sum.largest_free_bytes, b.bytes);
        }
    });
    return sum;
}

template <class Rooms, class Links>
heap_sanity heap_walks<Rooms, Links>::check_sanity() const noexcept {
    if (const heap_sanity damaged = rooms_.damaged(); !damaged.sound()) {
        return damaged;
    }
    std::size_t rooms = 0;
    rooms_.walk_rooms([&rooms](const std::byte*, const std::byte*) { return ++rooms != 0; });
    room_table table(rooms);
    if (table.is_complete()) {
        rooms_.walk_rooms([&table](const std::byte* begin, const std::byte* end) {
            table.add(begin, end);
            return true;
        });
        table.sort();
    }
    // With integers, because a damaged link leads anywhere.
    const auto owns = [&](const std::byte* word) {
        const auto at = reinterpret_cast<std::uintptr_t>(word);
        if ((at + heap_block::tag_bytes) % heap_block::granule_bytes != 0) {
            return false;
        }
        return table.is_complete()
                   ? table.has_block_at(at)
                   : !rooms_.walk_rooms([at](const std::byte* begin, const std::byte* end) {
                         return !room_table::is_block_in(reinterpret_cast<std::uintptr_t>(begin),
                                                         reinterpret_cast<std::uintptr_t>(end), at);
                     });
    };
    sanity_check<Links> check(space_);
    rooms_.walk_rooms([&](std::byte* begin, std::byte* end) { return check.look_at_room(begin, end, owns); });
    check.look_at_quick_lists(owns);
    heap_sanity result = check.result();
    const heap_block damaged = rooms_.find_large([&result](heap_block b) {
        if (result.sound() && !reserved_blocks::is_sound(b)) {
            result = {"the size in the word in front of the block is damaged", b.payload()};
        }
    });
    if (result.sound() && damaged) {
        result = {"the head of a large block's range is damaged", damaged.payload()};
    }
    return result;
}

}} // namespace mallard::space::MALLARD_MODE
