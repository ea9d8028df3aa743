#include "recorder/unwind/stack.hpp"

#include "recorder/code/code_objects.hpp"
#include "recorder/system/sandbox.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mallard::recorder::unwind {

namespace {

address word_at(address location) noexcept {
    return *reinterpret_cast<const address*>(location);
}

/// Returns: the result of `step` on a copy of `pos`, and copies the result back. The compiler keeps an object in registers only
/// while no other function has its address; otherwise each level would wait for the memory of the preceding one.
template <typename Position, typename Step>
[[gnu::always_inline]] inline bool with_copy(Position& pos, Step step) noexcept {
    Position copy = pos;
    const bool result = step(copy);
    pos = copy;
    return result;
}

} // namespace

void stack::forget() noexcept {
    depth_ = 0;
    watched_count_ = 0;
    certain_ = 0;
    readable_.clear();
}

unsigned stack::update(caller from, rule_table& rules) noexcept {
    unsigned known = epoch_ != rules.epoch() ? 0 : certain_; // levels that the walk may reach
    epoch_ = rules.epoch();
    added_ = 0;
    new_watched_count_ = 0;
    uncertain_ = 0;
    if (!readable_.begin_event(from.slot)) [[unlikely]] {
        known = 0;
    }
    const position pos{from.slot, from.return_address(), from.frame_base, from.slot + sizeof(address),
                       false,     from.saved_return};
    known = walk(pos, known, rules);
    return install(known);
}

/// Effects: unwinds from `pos` to the first cached level whose outer levels are unchanged.
/// Returns: the number of these cached levels.
unsigned stack::walk(position pos, unsigned known, rule_table& rules) noexcept {
    for (;;) {
        const level* inner = levels_ + known;
        if (known > 0 && inner[-1].slot < pos.slot && pos.slot <= levels_->slot) {
            do {
                --inner;
            } while (inner[-1].slot < pos.slot);
        }
        known = static_cast<unsigned>(inner - levels_);
        if (known > 0 && matches(known - 1, pos)) {
            states_[known - 1].frame_base = pos.frame_base;
            levels_[known - 1].saved_return = pos.saved_return;
            const unsigned changed = first_changed(known - 1);
            if (changed == unchanged) {
                return known;
            }
            if (!with_copy(pos, [&](position& copy) { return carry_over(known - 1, changed, copy); })) {
                return 0;
            }
            known = changed;
        }
        if (!unwind_level(pos, rules)) {
            return 0;
        }
    }
}

// A certain level is never interrupted.
bool stack::matches(unsigned index, const position& pos) const noexcept {
    const level_state& state = states_[index];
    return levels_[index].slot == pos.slot && levels_[index].return_address == pos.return_address &&
           (!state.uses_frame_pointer || state.frame_base == pos.frame_base) && !pos.interrupted;
}

/// Returns: the innermost changed level, from `known` outwards, or `unchanged`.
unsigned stack::first_changed(unsigned known) noexcept {
    return known <= most_compared ? innermost_changed(0, known) : first_changed_by_parts(known);
}

/// Compares a deep stack in part. A changed level of the middle may count as unchanged for some updates.
unsigned stack::first_changed_by_parts(unsigned known) noexcept {
    const unsigned middle_end = known - inner_levels;
    const unsigned changed = innermost_changed(middle_end, known);
    if (changed != unchanged) {
        return changed;
    }
    if (compared_from_ > middle_end || compared_from_ <= outer_levels) {
        compared_from_ = middle_end;
    }
    const unsigned part_end = compared_from_;
    compared_from_ -= std::min(part_levels, part_end - outer_levels);
    const bool is_unchanged = innermost_changed(0, outer_levels) == unchanged &&
                              innermost_changed(compared_from_, part_end) == unchanged;
    return is_unchanged ? unchanged : innermost_changed(0, middle_end);
}

/// Returns: the innermost changed level of [begin, end]. The slot of level `end` is known to be unchanged.
unsigned stack::innermost_changed(unsigned begin, unsigned end) const noexcept {
    const auto differs = [](const level& cached) { return cached.current() ^ cached.return_address; };
    const level* const first = levels_ + begin;
    const level* from = levels_ + end; // levels from here inwards are unchanged
    for (; from - first >= 4; from -= 4) {
        if ((differs(from[-1]) | differs(from[-2]) | differs(from[-3]) | differs(from[-4])) != 0) {
            break;
        }
    }
    unsigned changed = unchanged;
    while (from != first) {
        if (differs(*--from) != 0) {
            changed = static_cast<unsigned>(from - levels_);
            break;
        }
    }
    if (watched_count_ > 0) {
        changed = innermost_changed_watched(watched_outside(begin), states_[end].watched_end, changed);
    }
    return changed;
}

/// Returns: the innermost changed level, including changes of the watched words [begin, end).
unsigned stack::innermost_changed_watched(unsigned begin, unsigned end, unsigned changed) const noexcept {
    const auto differs = [](const watched_word& word) { return word_at(word.at) ^ word.value; };
    const watched_word* const first = watched_ + begin;
    const watched_word* from = watched_ + end;
    for (; from - first >= 4; from -= 4) {
        if ((differs(from[-1]) | differs(from[-2]) | differs(from[-3]) | differs(from[-4])) != 0) {
            break;
        }
    }
    while (from != first && (changed == unchanged || from[-1].at_level > changed)) {
        if (differs(*--from) != 0) {
            return from->at_level;
        }
    }
    return changed;
}

/// Effects: pushes the levels between `known` and `changed` as new ones; `pos` becomes the changed level.
bool stack::carry_over(unsigned known, unsigned changed, position& pos) noexcept {
    address frame_base = pos.frame_base;
    for (unsigned index = known; index > changed; --index) {
        level_state state = states_[index];
        state.frame_base = frame_base;
        if (!push_level(levels_[index], state)) {
            return false;
        }
        for (unsigned word = watched_outside(index); word < states_[index].watched_end; ++word) {
            if (watched_[word].at != state.saved_frame_pointer_at) {
                push_new_watched(watched_[word].at, watched_[word].value);
            }
        }
        if (state.saved_frame_pointer_at != 0) {
            frame_base = word_at(state.saved_frame_pointer_at);
        }
    }
    const level& outer = levels_[changed];
    pos = {outer.slot, outer.current(), frame_base, outer.slot + sizeof(address), false, outer.saved_return};
    return true;
}

// By value: commit() moves the cached levels.
bool stack::push_level(level added, level_state state) noexcept {
    if (added_ == room_ && !commit(added_ + 1)) {
        return stop(stack_end::too_deep);
    }
    new_levels_[added_] = added;
    new_states_[added_++] = state;
    return true;
}

/// Effects: pushes `pos`, which becomes the outer level.
/// Returns: false at the end of the stack.
bool stack::unwind_level(position& pos, rule_table& rules) noexcept {
    const rule unwind_rule = rules.find(pos.return_address + (pos.interrupted ? 1 : 0));
    if (!push_level({pos.slot, pos.return_address, pos.saved_return},
                    {pos.frame_base, 0, 0, unwind_rule.by_frame_pointer(), false, pos.interrupted})) {
        return false;
    }
    if (unwind_rule.kind() == rule::simple) [[likely]] {
        return apply_rule(unwind_rule, pos, rules);
    }
    if (unwind_rule.kind() == rule::last && !pos.interrupted) {
        return stop(stack_end::outermost);
    }
    return with_copy(pos, [this](position& copy) { return unwind_by_description(copy); });
}

bool stack::apply_rule(rule unwind_rule, position& pos, const rule_table& rules) noexcept {
    const address frame =
        (unwind_rule.by_frame_pointer() ? pos.frame_base : pos.stack_pointer) + unwind_rule.frame_offset();
    const address slot = frame - sizeof(address);
    const address return_at = frame - unwind_rule.return_below();
    if (slot < pos.stack_pointer || !readable_.holds(return_at)) [[unlikely]] {
        const bool last =
            rules.walks_frame_pointers() && unwind_rule.by_frame_pointer() && pos.frame_base == 0;
        return stop(last ? stack_end::outermost : stack_end::unreadable);
    }
    if (unwind_rule.frame_pointer_below() != 0) {
        const address saved = frame - unwind_rule.frame_pointer_below();
        if (!readable_.holds(saved)) [[unlikely]] {
            return stop(stack_end::unreadable);
        }
        new_states_[added_ - 1].saved_frame_pointer_at = saved;
        pos.frame_base = word_at(saved);
    }
    pos.slot = slot;
    pos.return_address = arch::code_address(word_at(return_at));
    pos.stack_pointer = frame;
    pos.interrupted = false;
    pos.saved_return = arch::return_location(return_at);
    return is_address(pos.return_address);
}

/// Returns: true if the word can be a code address. Otherwise the stack ends here.
bool stack::is_address(address word) noexcept {
    if (word - 1 < (address{1} << arch::address_bits) - 1) [[likely]] {
        return true;
    }
    return stop(word == 0 ? stack_end::null : stack_end::unreadable);
}

/// Unwinds by a description that needs more than the stack pointer, the frame pointer and a constant.
bool stack::unwind_by_description(position& pos) noexcept {
    frame outer;
    outer.regs.set(arch::program_counter, pos.return_address);
    outer.regs.set(arch::stack_pointer, pos.stack_pointer);
    outer.regs.set(arch::frame_pointer, pos.frame_base);
    outer.slot = pos.slot;
    outer.interrupted = pos.interrupted;
    words_read read;
    step_result result = step_out(outer, readable_, read);
    if (result == step_result::unreadable) {
        // The description needs a callee-saved register. A walk from this function recovers all of them.
        read = {};
        read.incomplete = true;
        if (frame_at(pos.slot, readable_, outer)) {
            result = step_out(outer, readable_, read);
        }
    }
    switch (result) {
    case step_result::outermost:
        return stop(stack_end::outermost);
    case step_result::unreadable:
        return stop(stack_end::unreadable);
    case step_result::unknown_code:
        return stop(in_loader(pos.return_address) ? stack_end::loader : stack_end::unknown_code);
    case step_result::caller:
        break;
    }
    level_state& state = new_states_[added_ - 1];
    state.by_frame_pointer = true;
    state.saved_frame_pointer_at = outer.saved_frame_pointer_at;
    if (outer.slot == 0 || outer.interrupted) {
        uncertain_ = added_ + 1;
    } else if (read.incomplete || pos.interrupted || outer.slot <= pos.slot) {
        uncertain_ = added_;
    }
    for (unsigned word = 0; word < read.count; ++word) {
        push_new_watched(read.words[word].at, read.words[word].value);
    }
    pos = {outer.slot,
           outer.regs.value[arch::program_counter],
           outer.regs.value[arch::frame_pointer],
           outer.regs.value[arch::stack_pointer],
           outer.interrupted,
           outer.saved_return};
    return is_address(pos.return_address);
}

bool stack::stop(stack_end reason) noexcept {
    end_ = reason;
    return false;
}

/// Effects: pushes a watched word of the most recent new level.
void stack::push_new_watched(address at, address value) noexcept {
    if (new_watched_count_ == room_ && !commit(new_watched_count_ + 1)) {
        uncertain_ = added_;
        return;
    }
    new_watched_[new_watched_count_++] = {at, value, added_ - 1};
}

void stack::push_watched(const watched_word& word) noexcept {
    if (watched_count_ == room_ && !commit(watched_count_ + 1)) {
        uncertain_ = most_levels;
    } else {
        watched_[watched_count_++] = word;
    }
}

/// Effects: appends the new levels, the outermost one first, to the `kept` ones.
/// Returns: the number of unchanged outer levels.
unsigned stack::install(unsigned kept) noexcept {
    unsigned outside = kept;
    if (kept + added_ > room_ && !commit(kept + added_)) [[unlikely]] {
        outside = drop_outer(kept);
        kept = 0;
    }
    if (watched_count_ > 0) {
        watched_count_ = watched_outside(outside);
    }
    depth_ = outside + added_;
    bool needed_outside = outside > 0 && states_[outside - 1].uses_frame_pointer;
    for (unsigned source = added_, index = outside; source-- > 0; ++index) {
        levels_[index] = new_levels_[source];
        states_[index] = new_states_[source];
        const bool saves_frame_pointer = states_[index].saved_frame_pointer_at != 0;
        if (new_watched_count_ > 0 || (saves_frame_pointer && needed_outside)) {
            move_watched(source, saves_frame_pointer && needed_outside); // may move the arrays
        }
        needed_outside = states_[index].by_frame_pointer || (needed_outside && !saves_frame_pointer);
        states_[index].uses_frame_pointer = needed_outside;
        states_[index].watched_end = watched_count_;
    }
    certain_ = uncertain_ < depth_ ? depth_ - uncertain_ : 0;
    return kept;
}

/// Effects: moves the watched words of a new level that is in `levels` already; adds the saved frame pointer if `with_frame_pointer`.
void stack::move_watched(unsigned new_level, bool with_frame_pointer) noexcept {
    const unsigned index = depth_ - 1 - new_level;
    for (; new_watched_count_ > 0 && new_watched_[new_watched_count_ - 1].at_level == new_level;
         --new_watched_count_) {
        const watched_word& word = new_watched_[new_watched_count_ - 1];
        push_watched({word.at, word.value, index});
    }
    if (with_frame_pointer) {
        push_watched({states_[index].saved_frame_pointer_at, states_[index - 1].frame_base, index});
    }
}

// The memory of a stack's levels.

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

/// Effects: drops outer levels of the `kept` ones, so that the remaining ones fill at most half of the space next to the new
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
