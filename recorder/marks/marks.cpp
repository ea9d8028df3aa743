/// The records that marks of the program request: names, blocks of pools, and calls of instrumented functions.

#include "recorder/log/recording.hpp"
#include "recorder/log/thread_log.hpp"

namespace mallard::recorder {

void thread_log::allocated_by_pool(std::uint64_t bytes, const void* block, std::uint64_t pool,
                                   caller from) noexcept {
    if (std::byte* to = begin_event(from)) {
        to = write_address(trace::write_number(to, bytes), block);
        publish(record_kind::pool_allocated, trace::write_number(to, pool));
    }
}

void thread_log::freed_to_pool(const void* block, std::uint64_t pool, caller from) noexcept {
    if (std::byte* const to = begin_event(from)) {
        publish(record_kind::pool_freed, trace::write_number(write_address(to, block), pool));
    }
}

void thread_log::rolled_back(std::uint64_t allocations, std::uint64_t pool, caller from) noexcept {
    if (std::byte* const to = begin_event(from)) {
        publish(record_kind::pool_rolled_back,
                trace::write_number(trace::write_number(to, allocations), pool));
    }
}

void thread_log::begins(record_kind kind, open_mark mark, caller from) noexcept {
    if (trace::is_of_function(kind)) {
        mark.call = enclosing_call(from);
        end_down_to(open_.find_abandoned(mark.call, stack_), from);
        end_down_to(open_.find_earlier(mark), from);
        write_call(kind, mark.id, mark.slot);
    } else {
        end_down_to(open_.find_earlier(mark), from);
        marked(kind, mark_number(mark), from);
        if (stack_.depth() >= 2) {
            mark.level = stack_.depth() - 1;
            mark.call = stack_.at(mark.level - 1);
        }
    }
    open_.push(mark);
}

/// Returns: the call of the function that called the recorder; a slot of 0 if its rule is not simple.
unwind::stack::level thread_log::enclosing_call(caller from) noexcept {
    const unwind::rule unwind_rule = the_recording.rules.find(*reinterpret_cast<const address*>(from.slot));
    if (unwind_rule.kind() != unwind::rule::simple) {
        return {0, 0};
    }
    const address stack_pointer = from.slot + sizeof(address);
    const address slot = (unwind_rule.by_rbp() ? from.frame_base : stack_pointer) +
                         unwind_rule.frame_offset() - sizeof(address);
    if (slot < stack_pointer || !stack_.can_read(from.slot, slot)) {
        return {0, 0};
    }
    return {slot, *reinterpret_cast<const address*>(slot)};
}

void thread_log::ends(record_kind end, std::uint64_t id, caller from) noexcept {
    if (!open_.pop_without_room()) [[likely]] {
        end_down_to(open_.find(end, id), from);
    } else if (trace::is_of_function(end)) {
        write_call(end, id, from.slot);
    } else {
        marked(end, id, from);
    }
}

/// Effects: writes the end of the mark at `place`, after the ends of all marks within it.
void thread_log::end_down_to(unsigned place, caller from) noexcept {
    while (place < open_.count()) {
        const open_mark ended = open_.pop();
        open_.suspend();
        if (trace::is_of_function(ended.end)) {
            write_call(ended.end, ended.id, ended.slot);
        } else {
            marked(ended.end, mark_number(ended), from);
        }
        open_.resume();
    }
}

/// Effects: writes the ends of the marks that were abandoned before the current event, whose stack is known but not yet written.
/// Returns: the number of levels that are written.
unsigned thread_log::end_abandoned(address slot, unsigned kept) noexcept {
    const unsigned place = open_.find_abandoned(slot, stack_);
    while (place < open_.count()) {
        const open_mark ended = open_.pop();
        if (trace::is_of_function(ended.end)) {
            write_call(ended.end, ended.id, ended.slot);
        } else if (std::byte* const to = write_stack(kept)) {
            publish(ended.end, trace::write_number(to, mark_number(ended)));
            kept = stack_.depth();
        }
    }
    return kept;
}

std::uint64_t thread_log::mark_number(const open_mark& mark) noexcept {
    return mark.end == record_kind::scope_end ? mark.name : mark.id;
}

// There are millions of such records, so the stack is not unwound, and that of the last event is kept.
void thread_log::write_call(record_kind kind, address function, address frame) noexcept {
    const address part = function >> function_part_bits;
    if (functions_seen_[part % function_parts] != part || functions_epoch_ != the_recording.rules.epoch())
        [[unlikely]] {
        write_function_file(function);
    }
    if (!has_room(trace::most_event_bytes)) [[unlikely]] {
        return;
    }
    std::byte* to = write_time(at_ + 1);
    to = trace::write_number(to, trace::zigzag(static_cast<std::int64_t>(function - last_function_)));
    to = trace::write_number(to, trace::zigzag(static_cast<std::int64_t>(frame - last_frame_)));
    last_function_ = function;
    last_frame_ = frame;
    publish(kind, to);
}

/// Effects: writes the function's file, unless the trace has it.
void thread_log::write_function_file(address function) noexcept {
    if (functions_epoch_ != the_recording.rules.epoch()) {
        functions_epoch_ = the_recording.rules.epoch();
        functions_seen_ = {};
    }
    unwind::code_object file;
    if (unwind::object_at(function, file) && the_recording.code.is_new(file)) {
        write_code(file);
    }
    const address part = function >> function_part_bits;
    functions_seen_[part % function_parts] = part;
}

void thread_log::write_name(std::uint32_t number) noexcept {
    const name_table::name name = the_recording.names.at(number);
    if (!has_room(trace::most_event_bytes + name.length)) {
        return;
    }
    std::byte* const to = trace::write_number(write_time(at_ + 1), number);
    publish(record_kind::name, trace::write_text(to, name.text, name.length));
    the_recording.names.is_written(number);
}

} // namespace mallard::recorder
