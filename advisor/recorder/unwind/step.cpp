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
    if (rules.frame_register != arch::stack_pointer && rules.frame_register != arch::frame_pointer) {
        read.incomplete = true;
    }
    result = regs.value[rules.frame_register] + static_cast<address>(rules.frame.number());
    return true;
}

/// Effects: replaces `current` by the interrupted frame, all of whose registers the kernel stored.
step_result step_out_of_signal(frame& current, readable_range& readable) noexcept {
    const address first = current.regs.value[arch::stack_pointer] + arch::signal_frame::registers_offset;
    frame next;
    for (unsigned number = 0; number < register_count; ++number) {
        const address at = first + number * sizeof(address);
        if (!readable.holds(at)) {
            return step_result::unreadable;
        }
        next.regs.set(number, *reinterpret_cast<const address*>(at));
    }
    next.slot = first + arch::program_counter * sizeof(address);
    next.saved_return = arch::return_location(next.slot);
    next.interrupted = true;
    current = next;
    return step_result::caller;
}

} // namespace

bool returns_from_signal(address pc) noexcept {
    constexpr std::size_t bytes = arch::signal_frame::code_bytes;
    return bytes != 0 && pc % alignof(std::uint32_t) == 0 && page_is_readable(page_start(pc)) &&
           page_is_readable(page_start(pc + bytes - 1)) &&
           arch::signal_frame::is_trampoline(reinterpret_cast<const std::uint8_t*>(pc));
}

step_result step_out(frame& current, readable_range& readable, words_read& read) noexcept {
    const address pc = current.regs.value[arch::program_counter] - (current.interrupted ? 0 : 1);
    frame_description function;
    row rules;
    const bool is_described = description_at(pc, function);
    if ((!is_described || function.signal_frame) &&
        returns_from_signal(current.regs.value[arch::program_counter])) {
        return step_out_of_signal(current, readable);
    }
    if (!is_described || function.return_register != arch::return_column || !row_at(function, pc, rules)) {
        return step_result::unknown_code;
    }
    if (rules.rules[arch::return_column].where() == place::undefined) {
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
        words_read& deciding =
            number == arch::return_column || number == arch::frame_pointer ? read : unimportant;
        if (number == arch::stack_pointer && rules.rules[number].where() == place::unchanged) {
            next.regs.set(number, frame_address);
        } else if (caller_register(rules.rules[number], current.regs, number, frame_address, readable,
                                   deciding, value, from)) {
            next.regs.set(number, value);
            if (number == arch::return_column) {
                next.slot = arch::slot_of_return(from, frame_address);
                next.saved_return = arch::return_location(from);
            } else if (number == arch::frame_pointer) {
                next.saved_frame_pointer_at = from;
            }
        }
    }
    if (!next.regs.knows(arch::return_column) || !next.regs.knows(arch::stack_pointer)) {
        return step_result::unreadable;
    }
    next.regs.return_from_call();
    next.interrupted = function.signal_frame;
    current = next;
    return step_result::caller;
}

__attribute__((noinline)) bool frame_at(address slot, readable_range& readable, frame& result) noexcept {
    result = frame{};
    arch::kept_registers kept;
    kept.capture();
    for (unsigned index = 0; index < arch::kept_registers::numbers.size(); ++index) {
        result.regs.set(arch::kept_registers::numbers[index], kept.values[index]);
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
