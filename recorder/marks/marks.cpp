/// The records of a thread that the program asks for: names, blocks of its pools, and calls of instrumented functions.

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
        mark.call = call_of(from);
        end_down_to(open_.find_left(mark.call, stack_), from);
        end_down_to(open_.find_earlier(mark), from);
        write_call(kind, mark.what, mark.slot);
    } else {
        end_down_to(open_.find_earlier(mark), from);
        marked(kind, number_of(mark), from);
        if (stack_.depth() >= 2) {
            mark.level = stack_.depth() - 1;
            mark.call = stack_.at(mark.level - 1);
        }
    }
    open_.push(mark);
}

/// Returns: the call of the function that called the recorder; a slot of 0 if its description is not simple.
unwind::stack::level thread_log::call_of(caller from) noexcept {
    const unwind::rule way = the_recording.rules.find(*reinterpret_cast<const address*>(from.slot));
    if (way.which() != unwind::rule::simple) {
        return {0, 0};
    }
    const address stack_pointer = from.slot + sizeof(address);
    const address slot =
        (way.by_rbp() ? from.frame_base : stack_pointer) + way.frame_offset() - sizeof(address);
    if (slot < stack_pointer || !stack_.can_read(from.slot, slot)) {
        return {0, 0};
    }
    return {slot, *reinterpret_cast<const address*>(slot)};
}

void thread_log::ends(record_kind end, std::uint64_t what, caller from) noexcept {
    if (!open_.pop_without_room()) [[likely]] {
        end_down_to(open_.find(end, what), from);
    } else if (trace::is_of_function(end)) {
        write_call(end, what, from.slot);
    } else {
        marked(end, what, from);
    }
}

/// Effects: writes the end of the mark at `place`, and before that of all within it.
void thread_log::end_down_to(unsigned place, caller from) noexcept {
    while (place < open_.count()) {
        const open_mark gone = open_.pop();
        open_.wait();
        if (trace::is_of_function(gone.end)) {
            write_call(gone.end, gone.what, gone.slot);
        } else {
            marked(gone.end, number_of(gone), from);
        }
        open_.go_on();
    }
}

/// Effects: writes the ends of the marks that were left before the event whose stack is known now, and not written yet.
/// Returns: the levels of the stack that are written then.
unsigned thread_log::end_left(address slot, unsigned kept) noexcept {
    const unsigned place = open_.find_left(slot, stack_);
    while (place < open_.count()) {
        const open_mark gone = open_.pop();
        if (trace::is_of_function(gone.end)) {
            write_call(gone.end, gone.what, gone.slot);
        } else if (std::byte* const to = write_stack(kept)) {
            publish(gone.end, trace::write_number(to, number_of(gone)));
            kept = stack_.depth();
        }
    }
    return kept;
}

std::uint64_t thread_log::number_of(const open_mark& mark) noexcept {
    return mark.end == record_kind::scope_end ? mark.name : mark.what;
}

// Such records come in millions, so there is no walk of the stack, and the stack of the last event stays as it is.
void thread_log::write_call(record_kind kind, address function, address frame) noexcept {
    const address part = function >> function_part_bits;
    if (functions_seen_[part % function_parts] != part || functions_epoch_ != the_recording.rules.epoch())
        [[unlikely]] {
        write_code_of(function);
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

/// Effects: writes the function's file, if the trace does not have it.
void thread_log::write_code_of(address function) noexcept {
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
