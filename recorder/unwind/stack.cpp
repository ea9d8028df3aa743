#include "recorder/unwind/stack.hpp"

#include "recorder/code/code_objects.hpp"

#include <algorithm>
#include <cstddef>

namespace mallard::recorder::unwind {

namespace {

address word_at(address where) noexcept {
    return *reinterpret_cast<const address*>(where);
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

void stack::forget() noexcept {
    depth_ = 0;
    other_count_ = 0;
    certain_ = 0;
    readable_.clear();
}

unsigned stack::update(address slot, address frame_base, rule_table& rules) noexcept {
    unsigned known = epoch_ != rules.epoch() ? 0 : certain_; // levels that may still be met
    epoch_ = rules.epoch();
    added_ = 0;
    new_other_count_ = 0;
    uncertain_ = 0;
    if (!readable_.begin_event(slot)) [[unlikely]] {
        known = 0;
    }
    const position now{slot, word_at(slot), frame_base, slot + sizeof(address), false};
    known = walk(now, known, rules);
    return install(known);
}

/// Effects: adds new levels, from `now` outwards, as far as a known one from which nothing changed.
/// Returns: the number of levels outside, which are the same as before.
unsigned stack::walk(position now, unsigned known, rule_table& rules) noexcept {
    for (;;) {
        const level* inner = levels_ + known;
        if (known > 0 && inner[-1].slot < now.slot && now.slot <= levels_->slot) {
            do {
                --inner;
            } while (inner[-1].slot < now.slot);
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

// No level that is certain was interrupted.
bool stack::matches(unsigned which, const position& now) const noexcept {
    const rest& its = rests_[which];
    return levels_[which].slot == now.slot && levels_[which].return_address == now.return_address &&
           (!its.uses_rbp || its.frame_base == now.frame_base) && !now.interrupted;
}

/// Returns: the innermost level, from `known` outwards, from which the way out is another one than before.
unsigned stack::first_changed(unsigned known) noexcept {
    return known <= most_compared ? innermost_changed(0, known) : first_changed_by_parts(known);
}

/// The same for a deep stack. A level of its middle may have changed, and count as unchanged for some updates.
unsigned stack::first_changed_by_parts(unsigned known) noexcept {
    const unsigned middle_end = known - inner_levels;
    unsigned changed = innermost_changed(middle_end, known);
    if (changed != unchanged) {
        return changed;
    }
    if (compared_from_ > middle_end || compared_from_ <= outer_levels) {
        compared_from_ = middle_end;
    }
    const unsigned part_end = compared_from_;
    compared_from_ -= std::min(part_levels, part_end - outer_levels);
    const bool same = innermost_changed(0, outer_levels) == unchanged &&
                      innermost_changed(compared_from_, part_end) == unchanged;
    return same ? unchanged : innermost_changed(0, middle_end);
}

/// Returns: the innermost of the levels [begin, end] that changed. Of the level `end` itself the slot is known to be the same.
unsigned stack::innermost_changed(unsigned begin, unsigned end) const noexcept {
    const auto differs = [](const level& which) { return word_at(which.slot) ^ which.return_address; };
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
    if (other_count_ > 0) {
        changed = innermost_changed_other(others_before(begin), rests_[end].others, changed);
    }
    return changed;
}

/// Returns: the innermost level that changed, if the words [begin, end) that are no return addresses count too.
unsigned stack::innermost_changed_other(unsigned begin, unsigned end, unsigned changed) const noexcept {
    const auto differs = [](const other_word& other) { return word_at(other.at) ^ other.value; };
    const other_word* const first = others_ + begin;
    const other_word* from = others_ + end;
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

/// Effects: the levels between `known` and `changed` are new ones again, and `now` is the level that changed.
bool stack::carry_over(unsigned known, unsigned changed, position& now) noexcept {
    address frame_base = now.frame_base;
    for (unsigned which = known; which > changed; --which) {
        rest its = rests_[which];
        its.frame_base = frame_base;
        if (!add(levels_[which], its)) {
            return false;
        }
        for (unsigned each = others_before(which); each < rests_[which].others; ++each) {
            if (others_[each].at != its.saved_rbp_at) {
                add_new_other(others_[each].at, others_[each].value);
            }
        }
        if (its.saved_rbp_at != 0) {
            frame_base = word_at(its.saved_rbp_at);
        }
    }
    const address slot = levels_[changed].slot;
    now = {slot, word_at(slot), frame_base, slot + sizeof(address), false};
    return true;
}

// By value: commit() moves the levels that were known before.
bool stack::add(level which, rest its) noexcept {
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
    if (!add({now.slot, now.return_address}, {now.frame_base, 0, 0, way.by_rbp(), false, now.interrupted})) {
        return false;
    }
    if (way.which() == rule::simple) [[likely]] {
        return go_out_by(way, now, rules);
    }
    if (way.which() == rule::last && !now.interrupted) {
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
    if (here.slot == 0 || here.interrupted) {
        uncertain_ = added_ + 1;
    } else if (read.incomplete || now.interrupted || here.slot <= now.slot) {
        uncertain_ = added_;
    }
    for (unsigned each = 0; each < read.count; ++each) {
        add_new_other(read.words[each].at, read.words[each].value);
    }
    now = {here.slot, here.now.value[rip], here.now.value[rbp], here.now.value[rsp], here.interrupted};
    return is_address(now.return_address);
}

bool stack::stop(stack_end why) noexcept {
    end_ = why;
    return false;
}

/// Effects: the word belongs to the level that was added last.
void stack::add_new_other(address at, address value) noexcept {
    if (new_other_count_ == room_ && !commit(new_other_count_ + 1)) {
        uncertain_ = added_;
        return;
    }
    new_others_[new_other_count_++] = {at, value, added_ - 1};
}

void stack::add_other(const other_word& word) noexcept {
    if (other_count_ == room_ && !commit(other_count_ + 1)) {
        uncertain_ = most_levels;
    } else {
        others_[other_count_++] = word;
    }
}

/// Effects: puts the new levels, the outermost one first, on the `kept` ones.
/// Returns: the outer levels that are those of the stack before.
unsigned stack::install(unsigned kept) noexcept {
    unsigned outside = kept;
    if (kept + added_ > room_ && !commit(kept + added_)) [[unlikely]] {
        outside = drop_outer(kept);
        kept = 0;
    }
    if (other_count_ > 0) {
        other_count_ = others_before(outside);
    }
    depth_ = outside + added_;
    bool needed_outside = outside > 0 && rests_[outside - 1].uses_rbp;
    for (unsigned each = added_, which = outside; each-- > 0; ++which) {
        levels_[which] = new_levels_[each];
        rests_[which] = new_rests_[each];
        const bool saves_rbp = rests_[which].saved_rbp_at != 0;
        if (new_other_count_ > 0 || (saves_rbp && needed_outside)) {
            add_others(each, saves_rbp && needed_outside); // may move the arrays
        }
        needed_outside = rests_[which].by_rbp || (needed_outside && !saves_rbp);
        rests_[which].uses_rbp = needed_outside;
        rests_[which].others = other_count_;
    }
    certain_ = uncertain_ < depth_ ? depth_ - uncertain_ : 0;
    return kept;
}

/// Effects: adds the other words of the new level, which is a level already; with the saved rbp, if that is needed outside.
void stack::add_others(unsigned new_level, bool with_saved_rbp) noexcept {
    const unsigned which = depth_ - 1 - new_level;
    for (; new_other_count_ > 0 && new_others_[new_other_count_ - 1].at_level == new_level;
         --new_other_count_) {
        const other_word& word = new_others_[new_other_count_ - 1];
        add_other({word.at, word.value, which});
    }
    if (with_saved_rbp) {
        add_other({rests_[which].saved_rbp_at, rests_[which - 1].frame_base, which});
    }
}

} // namespace mallard::recorder::unwind
