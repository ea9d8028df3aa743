#include "recorder/unwind/stack.hpp"

#include "recorder/code/code_objects.hpp"

#include <sys/mman.h>

#include <cstddef>

namespace mallard::recorder::unwind {

namespace {

constexpr unsigned first_room = 1024;
constexpr unsigned smallest_most = 1U << 14;

address word_at(address where) noexcept {
    return *reinterpret_cast<const address*>(where);
}

template <typename T>
T* array_in(std::byte*& reserved, unsigned count) noexcept {
    auto* const array = reinterpret_cast<T*>(reserved);
    reserved += sizeof(T) * count;
    return array;
}

template <typename T>
bool make_writable(T* array, unsigned count) noexcept {
    return ::mprotect(array, sizeof(T) * count, PROT_READ | PROT_WRITE) == 0;
}

/// Returns: the result of `step` for a copy of `now`, which takes over the copy. The compiler keeps an object in registers only
/// as long as no function knows its address, and each level would wait for the memory of the one before.
template <typename Position, typename Step>
[[gnu::always_inline]] inline bool apart(Position& now, Step step) noexcept {
    Position copy = now;
    const bool result = step(copy);
    now = copy;
    return result;
}

} // namespace

bool stack::open() noexcept {
    for (most_ = most_levels; most_ >= smallest_most; most_ /= 2) {
        void* const memory = ::mmap(nullptr, 2 * (sizeof(level) + sizeof(rest)) * std::size_t{most_},
                                    PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            continue;
        }
        auto* reserved = static_cast<std::byte*>(memory);
        levels_ = array_in<level>(reserved, most_);
        rests_ = array_in<rest>(reserved, most_);
        new_levels_ = array_in<level>(reserved, most_);
        new_rests_ = array_in<rest>(reserved, most_);
        return commit(first_room);
    }
    return false;
}

bool stack::commit(unsigned levels) noexcept {
    unsigned room = room_ == 0 ? first_room : room_;
    while (room < levels) {
        room *= 2;
    }
    if (room > most_ || !make_writable(levels_, room) || !make_writable(rests_, room) ||
        !make_writable(new_levels_, room) || !make_writable(new_rests_, room)) {
        return false;
    }
    room_ = room;
    return true;
}

void stack::forget() noexcept {
    depth_ = 0;
    other_count_ = 0;
    repeat_ = false;
    readable_.clear();
}

unsigned stack::update(address slot, address frame_base, rule_table& rules) noexcept {
    const bool all_new = repeat_ || epoch_ != rules.epoch();
    unsigned known = all_new ? 0 : depth_; // levels that may still be met
    epoch_ = rules.epoch();
    added_ = 0;
    new_other_count_ = 0;
    repeat_ = false;
    if (!readable_.begin_event(slot)) [[unlikely]] {
        known = 0;
    }
    const position now{slot, word_at(slot), frame_base, slot + sizeof(address), false};
    known = walk(now, known, rules);
    install(known);
    return known;
}

/// Effects: adds new levels, from `now` outwards, as far as a known one from which nothing changed.
/// Returns: the number of levels outside, which are the same as before.
unsigned stack::walk(position now, unsigned known, rule_table& rules) noexcept {
    for (;;) {
        const level* inner = levels_ + known;
        while (inner != levels_ && inner[-1].slot < now.slot) {
            --inner;
        }
        known = static_cast<unsigned>(inner - levels_);
        if (known > 0 && matches(known - 1, now)) {
            rests_[known - 1].frame_base = now.frame_base;
            const unsigned changed = first_changed(known - 1);
            if (changed == unchanged) {
                return known;
            }
            if (!apart(now, [&](position& copy) { return carry_over(known - 1, changed, copy); })) {
                return 0;
            }
            known = changed;
        }
        if (!go_out(now, rules)) {
            return 0;
        }
    }
}

bool stack::matches(unsigned which, const position& now) const noexcept {
    const rest& its = rests_[which];
    return levels_[which].slot == now.slot && levels_[which].return_address == now.return_address &&
           (!its.uses_rbp || its.frame_base == now.frame_base) && !its.interrupted && !now.interrupted;
}

/// Returns: the innermost level, from `known` outwards, from which the way out is another one than before.
unsigned stack::first_changed(unsigned known) noexcept {
    const auto differs = [](const level& which) { return word_at(which.slot) ^ which.return_address; };
    const level* const begin = levels_;
    const level* end = levels_ + known; // levels from here inwards are unchanged
    for (; end - begin >= 4; end -= 4) {
        if ((differs(end[-1]) | differs(end[-2]) | differs(end[-3]) | differs(end[-4])) != 0) {
            break;
        }
    }
    unsigned changed = unchanged;
    while (end != begin) {
        if (differs(*--end) != 0) {
            changed = static_cast<unsigned>(end - levels_);
            break;
        }
    }
    if (other_count_ > 0) {
        changed = first_changed_other(known, changed);
    }
    return changed;
}

/// Returns: the innermost level from which the way out is another one, if words that are no return addresses count too.
unsigned stack::first_changed_other(unsigned known, unsigned changed) const noexcept {
    for (unsigned each = other_count_; each-- > 0;) {
        const other_word& other = others_[each];
        if (changed != unchanged && other.at_level <= changed) {
            break;
        }
        if (other.at_level <= known && word_at(other.at) != other.value) {
            return other.at_level;
        }
    }
    return changed;
}

/// Effects: the levels between `known` and `changed` are new ones again, and `now` is the level that changed.
bool stack::carry_over(unsigned known, unsigned changed, position& now) noexcept {
    address frame_base = now.frame_base;
    for (unsigned which = known; which > changed; --which) {
        rest its = rests_[which];
        its.frame_base = frame_base;
        for (unsigned each = other_count_; each-- > 0;) {
            if (others_[each].at_level == which && others_[each].at != its.saved_rbp_at &&
                new_other_count_ < most_others) {
                new_others_[new_other_count_++] = {others_[each].at, others_[each].value, added_};
            }
        }
        if (!add(levels_[which], its)) {
            return false;
        }
        if (its.saved_rbp_at != 0) {
            frame_base = word_at(its.saved_rbp_at);
        }
    }
    const address slot = levels_[changed].slot;
    now = {slot, word_at(slot), frame_base, slot + sizeof(address), false};
    return true;
}

bool stack::add(const level& which, const rest& its) noexcept {
    if (added_ == room_ && !commit(added_ + 1)) {
        return stop(stack_end::too_deep);
    }
    new_levels_[added_] = which;
    new_rests_[added_++] = its;
    return true;
}

/// Effects: adds `now`, which becomes the level outside.
/// Returns: false if there is none.
bool stack::go_out(position& now, rule_table& rules) noexcept {
    const rule way = rules.find(now.return_address + (now.interrupted ? 1 : 0));
    if (!add({now.slot, now.return_address}, {now.frame_base, 0, way.by_rbp(), false, now.interrupted})) {
        return false;
    }
    if (way.which() == rule::simple) [[likely]] {
        return go_out_by(way, now, rules);
    }
    if (way.which() == rule::last) {
        return stop(stack_end::outermost);
    }
    return apart(now, [this](position& copy) { return go_out_slowly(copy); });
}

bool stack::go_out_by(rule way, position& now, const rule_table& rules) noexcept {
    const address frame = (way.by_rbp() ? now.frame_base : now.stack_pointer) + way.frame_offset();
    const address slot = frame - sizeof(address);
    if (slot < now.stack_pointer || !readable_.holds(slot)) [[unlikely]] {
        const bool last = rules.walks_frame_pointers() && way.by_rbp() && now.frame_base == 0;
        return stop(last ? stack_end::outermost : stack_end::unreadable);
    }
    if (way.rbp_below() != 0) {
        const address saved = frame - way.rbp_below();
        if (!readable_.holds(saved)) [[unlikely]] {
            return stop(stack_end::unreadable);
        }
        new_rests_[added_ - 1].saved_rbp_at = saved;
        now.frame_base = word_at(saved);
    }
    now.slot = slot;
    now.return_address = word_at(slot);
    now.stack_pointer = frame;
    now.interrupted = false;
    return is_address(now.return_address);
}

/// Returns: true if code may be there. Otherwise the stack has ended.
bool stack::is_address(address word) noexcept {
    if (word - 1 < trace::interrupted_level - 1) [[likely]] {
        return true;
    }
    return stop(word == 0 ? stack_end::null : stack_end::unreadable);
}

/// For a description that needs more than rsp, rbp and a constant.
bool stack::go_out_slowly(position& now) noexcept {
    frame here;
    here.now.set(rip, now.return_address);
    here.now.set(rsp, now.stack_pointer);
    here.now.set(rbp, now.frame_base);
    here.slot = now.slot;
    here.interrupted = now.interrupted;
    words_read read;
    step_result result = step_out(here, readable_, read);
    if (result == step_result::unreadable) {
        // It needs a register that functions keep. All of them are found from here.
        read = {};
        read.incomplete = true;
        if (frame_at(now.slot, readable_, here)) {
            result = step_out(here, readable_, read);
        }
    }
    switch (result) {
    case step_result::outermost:
        return stop(stack_end::outermost);
    case step_result::unreadable:
        return stop(stack_end::unreadable);
    case step_result::unknown_code:
        return stop(in_loader(now.return_address) ? stack_end::loader : stack_end::unknown_code);
    case step_result::caller:
        break;
    }
    rest& its = new_rests_[added_ - 1];
    its.by_rbp = true;
    its.saved_rbp_at = here.saved_rbp_at;
    repeat_ = repeat_ || read.incomplete || here.slot == 0 || here.interrupted || now.interrupted ||
              here.slot <= now.slot || new_other_count_ + read.count > most_others;
    if (!repeat_) {
        for (unsigned each = 0; each < read.count; ++each) {
            new_others_[new_other_count_++] = {read.words[each].at, read.words[each].value, added_ - 1};
        }
    }
    now = {here.slot, here.now.value[rip], here.now.value[rbp], here.now.value[rsp], here.interrupted};
    return is_address(now.return_address);
}

bool stack::stop(stack_end why) noexcept {
    end_ = why;
    return false;
}

void stack::compare_from_now_on(const other_word& word) noexcept {
    if (other_count_ == most_others) {
        repeat_ = true;
    } else {
        others_[other_count_++] = word;
    }
}

/// Effects: puts the new levels, the outermost one first, on the `kept` ones.
void stack::install(unsigned kept) noexcept {
    if (kept + added_ > room_ && !commit(kept + added_)) {
        end_ = stack_end::too_deep;
        repeat_ = true;
        kept = 0;
    }
    while (other_count_ > 0 && others_[other_count_ - 1].at_level >= kept) {
        --other_count_;
    }
    depth_ = kept;
    for (unsigned each = added_; each-- > 0; ++depth_) {
        levels_[depth_] = new_levels_[each];
        rest& its = rests_[depth_] = new_rests_[each];
        const bool needed_outside = depth_ > 0 && rests_[depth_ - 1].uses_rbp;
        its.uses_rbp = its.by_rbp || (its.saved_rbp_at == 0 && needed_outside);
        for (; new_other_count_ > 0 && new_others_[new_other_count_ - 1].at_level == each;
             --new_other_count_) {
            compare_from_now_on(
                {new_others_[new_other_count_ - 1].at, new_others_[new_other_count_ - 1].value, depth_});
        }
        if (its.saved_rbp_at != 0 && needed_outside) {
            compare_from_now_on({its.saved_rbp_at, rests_[depth_ - 1].frame_base, depth_});
        }
    }
}

} // namespace mallard::recorder::unwind
