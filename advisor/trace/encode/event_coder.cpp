#include "trace/encode/event_coder.hpp"

#include <algorithm>

namespace mallard::trace {

namespace {

constexpr std::uint64_t most_ticks_per_step = 1U << 20;
constexpr std::int64_t block_alignment = 16;

/// Effects: writes a signed distance. Most addresses are multiples of the alignment apart; bit 0 marks the others.
void write_distance(byte_writer& column, std::uint64_t address, std::uint64_t last) {
    const auto distance = static_cast<std::int64_t>(address - last);
    if (distance % block_alignment == 0) {
        column.number(zigzag(distance / block_alignment) << 1);
        return;
    }
    column.number(1);
    column.signed_number(distance);
}

std::uint64_t read_distance(byte_reader& column) {
    const std::uint64_t number = column.number();
    if (number == 1) {
        return static_cast<std::uint64_t>(column.signed_number());
    }
    if ((number & 1) != 0) {
        throw bad_bytes("an event has an unknown distance");
    }
    return static_cast<std::uint64_t>(from_zigzag(number >> 1)) * std::uint64_t{block_alignment};
}

void write_difference(byte_writer& column, std::uint64_t value, std::uint64_t& last) {
    column.signed_number(static_cast<std::int64_t>(value - last));
    last = value;
}

std::uint64_t read_difference(byte_reader& column, std::uint64_t& last) {
    return last += static_cast<std::uint64_t>(column.signed_number());
}

/// True for kinds whose `bytes` are a number as it is.
constexpr bool has_amount(record_kind kind) noexcept {
    return has_bytes(kind) || kind == record_kind::gap;
}

} // namespace

void event_encoder::encode(std::span<const event> events, const context_tree& contexts,
                           context_id previous_context) {
    columns_.clear();
    last_event last;
    last.context = previous_context;
    last.step = events.empty() ? 0 : events.front().ticks / ticks_per_step;
    for (const event& source : events) {
        const std::uint64_t step = source.ticks / ticks_per_step;
        columns_[event_column::time].number(step - last.step);
        last.step = step;
        const bool is_timed = source.ticks_inside != 0;
        columns_[event_column::kind].byte(static_cast<std::uint8_t>(source.kind) | (is_timed ? timed : 0));
        if (is_timed) {
            columns_[event_column::inside].number(source.ticks_inside);
            columns_[event_column::inside].number(source.ticks_recorder);
        }
        if (has_stack(source.kind)) {
            columns_[event_column::context].signed_number(std::int64_t{source.context} -
                                                          std::int64_t{last.context});
            // The event after which levels were kept may be lost, in a damaged chunk or an interrupted file.
            const std::uint32_t common = contexts.common_levels(last.context, source.context);
            columns_[event_column::fewer].number(common - std::min(common, source.kept));
            last.context = source.context;
        }
        encode_fields(source, last);
    }
    prologue_.clear();
    prologue_.number(ticks_per_step);
    prologue_.number(previous_context);
    columns_.write_lengths(prologue_);
}

void event_encoder::encode_fields(const event& source, last_event& last) {
    if (has_amount(source.kind)) {
        columns_[event_column::bytes].number(source.bytes);
    }
    if (has_address(source.kind)) {
        write_distance(columns_[event_column::address], source.address, last.address);
        last.address = source.address;
    } else if (is_of_function(source.kind)) {
        write_distance(columns_[event_column::address], source.address, last.function);
        last.function = source.address;
        write_difference(columns_[event_column::bytes], source.bytes, last.frame);
    } else if (has_number(source.kind)) {
        write_difference(columns_[event_column::number], source.address, last.number);
    }
    if (is_of_pool(source.kind)) {
        write_difference(columns_[event_column::number], source.pool, last.number);
    }
}

void event_decoder::begin(const frame_head& head, std::span<const std::byte> body,
                          const context_tree& contexts, context_id previous_context, std::uint32_t thread) {
    byte_reader reader(body);
    contexts_ = &contexts;
    ticks_per_step_ = reader.number_up_to(most_ticks_per_step);
    if (ticks_per_step_ == 0) {
        throw bad_bytes("the step of time is 0");
    }
    if (reader.number() != previous_context) {
        throw bad_bytes("the frame does not follow the preceding frame");
    }
    columns_.begin(reader);
    first_ticks_ = head.first_ticks;
    last_ticks_ = head.last_ticks;
    end_step_ = last_ticks_ / ticks_per_step_;
    last_ = {};
    last_.step = first_ticks_ / ticks_per_step_;
    last_.context = previous_context;
    remaining_ = head.count;
    thread_ = thread;
}

std::size_t event_decoder::decode(std::span<event> decoded) {
    const std::size_t count = std::min<std::size_t>(decoded.size(), remaining_);
    if (count == 0) {
        return 0;
    }
    for (event& next : decoded.first(count)) {
        next = decode_event();
    }
    remaining_ -= static_cast<std::uint32_t>(count);
    if (remaining_ == 0) {
        columns_.end();
        decoded[count - 1].ticks = last_ticks_;
    }
    return count;
}

event event_decoder::decode_event() {
    event result;
    const std::uint64_t passed = columns_[event_column::time].number();
    if (passed > end_step_ - last_.step) {
        throw bad_bytes("an event is later than the last one");
    }
    last_.step += passed;
    result.ticks = std::max(last_.step * ticks_per_step_, first_ticks_);
    result.thread = thread_;
    const std::uint8_t kind = columns_[event_column::kind].byte();
    result.kind = static_cast<record_kind>(kind & ~timed);
    if (!is_event(result.kind)) {
        throw bad_bytes("an event has an unknown kind");
    }
    if ((kind & timed) != 0) {
        result.ticks_inside = columns_[event_column::inside].number();
        result.ticks_recorder = columns_[event_column::inside].number();
    }
    if (has_stack(result.kind)) {
        decode_context(result);
    }
    decode_fields(result);
    return result;
}

void event_decoder::decode_context(event& result) {
    const std::uint64_t context =
        last_.context + static_cast<std::uint64_t>(columns_[event_column::context].signed_number());
    if (context >= contexts_->size()) {
        throw bad_bytes("an event has an unknown context");
    }
    result.context = static_cast<context_id>(context);
    const std::uint32_t common = contexts_->common_levels(last_.context, result.context);
    result.kept = common - static_cast<std::uint32_t>(columns_[event_column::fewer].number_up_to(common));
    last_.context = result.context;
}

void event_decoder::decode_fields(event& result) {
    if (has_amount(result.kind)) {
        result.bytes = columns_[event_column::bytes].number();
    }
    if (has_address(result.kind)) {
        result.address = last_.address += read_distance(columns_[event_column::address]);
    } else if (is_of_function(result.kind)) {
        result.address = last_.function += read_distance(columns_[event_column::address]);
        result.bytes = read_difference(columns_[event_column::bytes], last_.frame);
    } else if (has_number(result.kind)) {
        result.address = read_difference(columns_[event_column::number], last_.number);
    }
    if (is_of_pool(result.kind)) {
        result.pool = read_difference(columns_[event_column::number], last_.number);
    }
}

} // namespace mallard::trace
