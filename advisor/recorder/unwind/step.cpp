#include "recorder/unwind/step.hpp"

#include "recorder/code/code_objects.hpp"
#include "recorder/dwarf/row.hpp"

namespace mallard::recorder::unwind {

namespace {

// More frames than any walk for one frame needs. The limit ends a walk in a circle.
constexpr unsigned most_steps = 1U << 20;

/// Returns: true if the register's value in the caller is known; stores it in `value`, and its location in `at`
/// if it was read from memory, else 0.
bool caller_register(const register_rule& rule, const registers& regs, unsigned number, address frame_address,
                     readable_range& readable, words_read& read, address& value, address& at) noexcept {
    const address relative = frame_address + static_cast<address>(rule.number());
    at = 0;
    switch (rule.where()) {
    case place::unchanged:
        value = regs.value[number];
        return regs.knows(number);
    case place::undefined:
        return false;
    case place::memory_at_offset:
        at = relative;
        break;
    case place::offset:
        value = relative;
        return true;
    case place::another_register: {
        const auto source = static_cast<std::uint64_t>(rule.number());
        read.incomplete = true;
        value = regs.knows(source) ? regs.value[source] : 0;
        return regs.knows(source);
    }
    case place::memory_at_expression:
        if (!evaluate(rule.expression(), regs, true, frame_address, readable, read, at)) {
            return false;
        }
        break;
    case place::expression:
        return evaluate(rule.expression(), regs, true, frame_address, readable, read, value);
    }
    if (!readable.holds(at)) {
        return false;
    }
    value = *reinterpret_cast<const address*>(at);
    return true;
}

bool canonical_frame_address(const row& rules, const registers& regs, readable_range& readable,
                             words_read& read, address& result) noexcept {
    if (rules.frame.where() == place::expression) {
        return evaluate(rules.frame.expression(), regs, false, 0, readable, read, result);
    }
    if (!regs.knows(rules.frame_register)) {
        return false;
    }
    if (rules.frame_register != rsp && rules.frame_register != rbp) {
        read.incomplete = true;
    }
    result = regs.value[rules.frame_register] + static_cast<address>(rules.frame.number());
    return true;
}

} // namespace

step_result step_out(frame& current, readable_range& readable, words_read& read) noexcept {
    const address pc = current.regs.value[rip] - (current.interrupted ? 0 : 1);
    frame_description function;
    row rules;
    if (!description_at(pc, function) || function.return_register != rip || !row_at(function, pc, rules)) {
        return step_result::unknown_code;
    }
    if (rules.rules[rip].where() == place::undefined) {
        return step_result::outermost;
    }
    address frame_address = 0;
    if (!canonical_frame_address(rules, current.regs, readable, read, frame_address)) {
        return step_result::unreadable;
    }

    frame next;
    for (unsigned number = 0; number < register_count; ++number) {
        address value = 0;
        address from = 0;
        // Only these two determine the caller's frame. The others are needed if a later rule uses them.
        words_read unimportant;
        words_read& deciding = number == rip || number == rbp ? read : unimportant;
        if (number == rsp && rules.rules[rsp].where() == place::unchanged) {
            next.regs.set(rsp, frame_address);
        } else if (caller_register(rules.rules[number], current.regs, number, frame_address, readable,
                                   deciding, value, from)) {
            next.regs.set(number, value);
            if (number == rip) {
                next.slot = from;
            } else if (number == rbp) {
                next.saved_rbp_at = from;
            }
        }
    }
    if (!next.regs.knows(rip) || !next.regs.knows(rsp)) {
        return step_result::unreadable;
    }
    next.interrupted = function.signal_frame;
    current = next;
    return step_result::caller;
}

__attribute__((noinline)) bool frame_at(address slot, readable_range& readable, frame& result) noexcept {
    result = frame{};
    address value[8];
    asm volatile("movq %%rbx, 0(%0)\n\t"
                 "movq %%rbp, 8(%0)\n\t"
                 "movq %%rsp, 16(%0)\n\t"
                 "movq %%r12, 24(%0)\n\t"
                 "movq %%r13, 32(%0)\n\t"
                 "movq %%r14, 40(%0)\n\t"
                 "movq %%r15, 48(%0)\n\t"
                 "leaq 0(%%rip), %%rax\n\t"
                 "movq %%rax, 56(%0)"
                 :
                 : "r"(value)
                 : "rax", "memory");
    constexpr register_number numbers[] = {rbx, rbp, rsp, r12, r13, r14, r15, rip};
    for (unsigned index = 0; index < 8; ++index) {
        result.regs.set(numbers[index], value[index]);
    }
    result.interrupted = true; // the address is in the middle of this function, and no call returns to it
    for (unsigned step = 0; step < most_steps && result.slot != slot; ++step) {
        words_read ignored;
        if (step_out(result, readable, ignored) != step_result::caller) {
            return false;
        }
    }
    return true;
}

} // namespace mallard::recorder::unwind
