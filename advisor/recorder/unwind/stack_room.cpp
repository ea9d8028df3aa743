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

/// Effects: moves the first `count` elements of `array` to `place`, and advances `place` past the new room.
template <typename T>
void move_array(T*& array, unsigned count, std::byte*& place, unsigned room) noexcept {
    auto* const target = reinterpret_cast<T*>(place);
    if (count != 0) {
        std::memcpy(target, array, sizeof(T) * count);
    }
    array = target;
    place += sizeof(T) * room;
}

} // namespace

bool stack::open() noexcept {
    return commit(first_room);
}

// A reservation of addresses would be cheaper than copies. But a process may have few of them, or lock all its memory.
bool stack::commit(unsigned levels) noexcept {
    unsigned room = room_ == 0 ? first_room : room_;
    while (room < levels) {
        room *= 2;
    }
    constexpr std::size_t bytes_per_level = 2 * (sizeof(level) + sizeof(level_state) + sizeof(watched_word));
    if (room > most_levels || in_sandbox()) {
        return false;
    }
    void* const memory =
        ::mmap(nullptr, bytes_per_level * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    void* const old_memory = levels_;
    auto* place = static_cast<std::byte*>(memory);
    move_array(levels_, room_, place, room);
    move_array(states_, room_, place, room);
    move_array(watched_, room_, place, room);
    move_array(new_levels_, room_, place, room);
    move_array(new_states_, room_, place, room);
    move_array(new_watched_, room_, place, room);
    if (old_memory != nullptr) {
        ::munmap(old_memory, bytes_per_level * room_);
    }
    room_ = room;
    return true;
}

/// Effects: drops outer levels of the `kept` ones, so that the remaining ones fill at most half of the room beside the new
/// levels. Later levels then find room.
/// Returns: the number of remaining levels.
unsigned stack::drop_outer(unsigned kept) noexcept {
    const unsigned remaining = std::min(kept, (room_ - added_) / 2);
    const unsigned dropped = kept - remaining;
    const unsigned dropped_watched = watched_outside(dropped);
    const unsigned watched = watched_outside(kept) - dropped_watched;
    std::memmove(levels_, levels_ + dropped, remaining * sizeof(level));
    std::memmove(states_, states_ + dropped, remaining * sizeof(level_state));
    std::memmove(watched_, watched_ + dropped_watched, watched * sizeof(watched_word));
    for (unsigned index = 0; index < remaining; ++index) {
        states_[index].watched_end -= dropped_watched;
    }
    for (unsigned index = 0; index < watched; ++index) {
        watched_[index].at_level -= dropped;
    }
    compared_from_ = 0;
    end_ = stack_end::too_deep;
    return remaining;
}

unsigned stack::levels_from(address slot) const noexcept {
    const auto is_from = [slot](const level& candidate) { return candidate.slot >= slot; };
    for (unsigned index = depth_; index > certain_; --index) {
        if (is_from(levels_[index - 1])) {
            return index;
        }
    }
    const level* const end = levels_ + certain_;
    return static_cast<unsigned>(std::partition_point<const level*>(levels_, end, is_from) - levels_);
}

} // namespace mallard::recorder::unwind
