/// The memory of a stack's levels.
#include "recorder/system/sandbox.hpp"
#include "recorder/unwind/stack.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mallard::recorder::unwind {

namespace {

constexpr unsigned first_room = 1024;

/// Effects: `array` has its first `count` elements at `place` from now on, which is moved behind its new room.
template <typename T>
void move_array(T*& array, unsigned count, std::byte*& place, unsigned room) noexcept {
    auto* const moved = reinterpret_cast<T*>(place);
    if (count != 0) {
        std::memcpy(moved, array, sizeof(T) * count);
    }
    array = moved;
    place += sizeof(T) * room;
}

} // namespace

bool stack::open() noexcept {
    return commit(first_room);
}

// Reserved addresses would cost less time than copies. But a process may have few of them, or lock all that it has.
bool stack::commit(unsigned levels) noexcept {
    unsigned room = room_ == 0 ? first_room : room_;
    while (room < levels) {
        room *= 2;
    }
    constexpr std::size_t bytes_of_level = 2 * (sizeof(level) + sizeof(rest) + sizeof(other_word));
    if (room > most_levels || in_sandbox()) {
        return false;
    }
    void* const memory =
        ::mmap(nullptr, bytes_of_level * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    void* const before = levels_;
    auto* place = static_cast<std::byte*>(memory);
    move_array(levels_, room_, place, room);
    move_array(rests_, room_, place, room);
    move_array(others_, room_, place, room);
    move_array(new_levels_, room_, place, room);
    move_array(new_rests_, room_, place, room);
    move_array(new_others_, room_, place, room);
    if (before != nullptr) {
        ::munmap(before, bytes_of_level * room_);
    }
    room_ = room;
    return true;
}

/// Effects: forgets the outer ones of the `kept` levels, of which half as many stay as there is room for beside the new ones.
/// So levels that come after these find room.
/// Returns: the levels that stay.
unsigned stack::drop_outer(unsigned kept) noexcept {
    const unsigned left = std::min(kept, (room_ - added_) / 2);
    const unsigned dropped = kept - left;
    const unsigned dropped_others = others_before(dropped);
    const unsigned others = others_before(kept) - dropped_others;
    std::memmove(levels_, levels_ + dropped, left * sizeof(level));
    std::memmove(rests_, rests_ + dropped, left * sizeof(rest));
    std::memmove(others_, others_ + dropped_others, others * sizeof(other_word));
    for (unsigned each = 0; each < left; ++each) {
        rests_[each].others -= dropped_others;
    }
    for (unsigned each = 0; each < others; ++each) {
        others_[each].at_level -= dropped;
    }
    compared_from_ = 0;
    end_ = stack_end::too_deep;
    return left;
}

unsigned stack::levels_from(address slot) const noexcept {
    const auto is_from = [slot](const level& each) { return each.slot >= slot; };
    for (unsigned each = depth_; each > certain_; --each) {
        if (is_from(levels_[each - 1])) {
            return each;
        }
    }
    const level* const end = levels_ + certain_;
    return static_cast<unsigned>(std::partition_point<const level*>(levels_, end, is_from) - levels_);
}

} // namespace mallard::recorder::unwind
