#include "trace/encode/event_decoder.hpp"

#include <algorithm>

namespace mallard::trace {

namespace {

constexpr std::uint64_t most_ticks_per_step = 1U << 20;

constexpr unsigned exception_bit(exception kind) noexcept {
    return 1U << static_cast<unsigned>(kind);
}

} // namespace

void event_decoder::begin(const frame_head& head, std::span<const std::byte> plain,
                          const context_tree& contexts, context_id previous_context, std::uint32_t thread) {
    byte_reader from(plain);
    contexts_ = &contexts;
    ticks_per_step_ = from.number_up_to(most_ticks_per_step);
    if (ticks_per_step_ == 0) {
        throw bad_bytes("the step of time is 0");
    }
    // A writer that resumed another one's file does not know the context, and keeps none of its levels.
    if (const std::uint64_t context = from.number(); context != previous_context && context != 0) {
        throw bad_bytes("the frame does not follow the preceding frame");
    } else if (context == 0) {
        previous_context = 0;
    }
    columns_.begin(from);
    sites_.begin(head.count, contexts, previous_context);
    blocks_.begin();
    counts_.begin();
    remaining_ = head.count;
    thread_ = thread;
    next_run_ = stack_ends;
    last_number_ = 0;
    first_ticks_ = head.first_ticks;
    last_ticks_ = head.last_ticks;
    last_step_ = first_ticks_ / ticks_per_step_;
    end_step_ = last_ticks_ / ticks_per_step_;
}

std::size_t event_decoder::decode(std::span<event> to) {
    const std::size_t count = std::min<std::size_t>(to.size(), remaining_);
    if (count == 0) {
        return 0;
    }
    for (event& decoded : to.first(count)) {
        decode_event(decoded);
    }
    remaining_ -= static_cast<std::uint32_t>(count);
    if (remaining_ == 0) {
        columns_.end();
        to[count - 1].ticks = last_ticks_;
    }
    return count;
}

void event_decoder::decode_event(event& to) {
    std::uint8_t op = columns_[column::operation].byte();
    unsigned exceptions = 0;
    for (; op >> field_bits == static_cast<unsigned>(step::exception);
         op = columns_[column::operation].byte()) {
        exceptions |= 1U << (op & most_field);
    }
    const site_id id = decode_site(static_cast<step>(op >> field_bits));
    site_pair& pair = sites_.pair_with(id);
    to.ticks_inside = 0;
    to.ticks_recorder = 0;
    if (exceptions != 0) [[unlikely]] {
        decode_exceptions(exceptions, to, id, pair);
    }
    site& event_site = sites_[id];
    to.context = event_site.context;
    to.kept = pair.kept;
    to.thread = thread_;
    to.kind = event_site.kind;
    decode_time(to, pair, event_site);
    decode_fields(to, event_site, op & most_field);
    sites_.pass(id);
}

void event_decoder::decode_exceptions(unsigned exceptions, event& to, site_id id, site_pair& pair) {
    if ((exceptions & exception_bit(exception::kept)) != 0) {
        const std::uint64_t kept = columns_.number(column::kept);
        if (kept > sites_.most_kept(id)) {
            throw bad_bytes("an event keeps more levels than exist");
        }
        pair.kept = static_cast<std::uint32_t>(kept);
    }
    if ((exceptions & exception_bit(exception::inside)) != 0) {
        to.ticks_inside = columns_.number(column::inside);
        to.ticks_recorder = columns_.number(column::inside);
    }
    if ((exceptions & ~(exception_bit(exception::kept) | exception_bit(exception::inside))) != 0) {
        throw bad_bytes("an event has an unknown exception");
    }
}

site_id event_decoder::decode_site(step method) {
    switch (method) {
    case step::known: {
        const std::uint64_t distance = columns_.number(column::known_site);
        if (distance == 0 || distance >= sites_.size()) {
            throw bad_bytes("an event is at an unknown site");
        }
        return static_cast<site_id>(sites_.size() - distance);
    }
    case step::new_context:
    case step::old_context:
        return decode_new_site(method);
    default: {
        const site_id result = sites_.expected(static_cast<unsigned>(method));
        if (result == 0) {
            throw bad_bytes("an event is at an unknown site");
        }
        return result;
    }
    }
}

site_id event_decoder::decode_new_site(step method) {
    context_id context = 0;
    if (method == step::new_context) {
        const std::uint64_t passed = columns_.number(column::new_context);
        if (passed >= contexts_->runs() - next_run_) {
            throw bad_bytes("an event has an unknown context");
        }
        next_run_ += static_cast<run_id>(passed);
        context = contexts_->last_node(next_run_++);
    } else if (const std::uint64_t number = columns_.number(column::old_context); number == 0) {
        context = sites_[sites_.last()].context;
    } else {
        const std::uint64_t highest = next_run_ == stack_ends ? 0 : contexts_->last_node(next_run_ - 1);
        const std::uint64_t candidate = highest - static_cast<std::uint64_t>(from_zigzag(number - 1));
        if (candidate >= contexts_->size()) {
            throw bad_bytes("an event has an unknown context");
        }
        context = static_cast<context_id>(candidate);
    }
    auto kind = static_cast<record_kind>(columns_[column::kind].byte());
    if (kind == record_kind::end) {
        kind = sites_.expected_kind(context);
    }
    if (!is_event(kind) || (!has_stack(kind) && context != 0)) {
        throw bad_bytes("an event has an unknown kind");
    }
    if (is_numbered(kind)) {
        last_number_ += static_cast<std::uint64_t>(from_zigzag(columns_.number(column::number)));
    }
    return sites_.add(context, kind, is_numbered(kind) ? last_number_ : 0);
}

void event_decoder::decode_time(event& to, site_pair& pair, const site& at) {
    const std::uint64_t passed = columns_.number(time_column(sites_.time_class(pair, at)));
    if (passed > end_step_ - last_step_) {
        throw bad_bytes("an event is later than the last one");
    }
    sites_.learn_time(pair, at, passed);
    last_step_ += passed;
    to.ticks = std::max(last_step_ * ticks_per_step_, first_ticks_);
}

void event_decoder::decode_fields(event& to, site& at, std::uint8_t field) {
    to.address = is_numbered_by_address(at.kind) ? at.number : 0;
    to.pool = is_of_pool(at.kind) ? at.number : 0;
    to.bytes = 0;
    switch (at.shape) {
    case event_shape::allocation:
        decode_allocation(to, at, field);
        break;
    case event_shape::release:
        decode_release(to, at, field);
        break;
    case event_shape::repeated_address:
        to.address = blocks_.last_freed();
        if (field != 0) {
            to.address = columns_.distance(column::foreign, blocks_.last_foreign());
            blocks_.freed_foreign(to.address);
        }
        break;
    case event_shape::count:
        to.bytes = counts_.expected(at);
        if (field != 0) {
            to.bytes =
                counts_.last() + static_cast<std::uint64_t>(from_zigzag(columns_.number(column::count)));
        }
        counts_.pass(at, to.bytes);
        break;
    case event_shape::none:
        break;
    }
}

void event_decoder::decode_allocation(event& to, site& at, std::uint8_t field) {
    to.bytes = (field & unexpected_bytes) != 0 ? columns_[column::bytes].number() : sites_.expected_bytes(at);
    sites_.learn_bytes(at, to.bytes);
    const std::uint8_t method_number = swapped_method(field & (unexpected_bytes - 1), at.last_method);
    if (method_number >= place_ways) {
        throw bad_bytes("an event has a block that does not exist");
    }
    at.last_method = method_number;
    const auto method = static_cast<place_way>(method_number);
    const std::uint16_t size_class = block_model::to_size_class(to.kind, to.bytes);
    std::uint64_t rank = 0;
    to.address = decode_place(method, size_class, rank);
    blocks_.allocated(to.address, size_class, block_model::block_stride(to.kind, to.bytes), method, rank);
}

/// Returns: the address of the block found by `method`.
std::uint64_t event_decoder::decode_place(place_way method, std::uint16_t size_class, std::uint64_t& rank) {
    switch (method) {
    case place_way::freed_last:
    case place_way::freed_second:
    case place_way::freed_third:
    case place_way::freed_earlier: {
        rank = method == place_way::freed_earlier ? columns_.number(column::rank)
                                                  : static_cast<std::uint64_t>(method);
        const block_id block = rank < block_model::most_rank ? blocks_.freed(size_class, rank) : 0;
        if (block == 0) {
            throw bad_bytes("an event has a block that was not freed");
        }
        return blocks_.address_at(block);
    }
    case place_way::behind_carved:
        return blocks_.behind_carved();
    case place_way::behind_last:
        return blocks_.behind_last();
    case place_way::freed_any_size:
        return blocks_.last_freed();
    case place_way::behind_highest:
        return blocks_.behind_highest();
    case place_way::near_class:
        return columns_.distance(column::near_class, blocks_.last_of_class(size_class));
    case place_way::near_last:
        return columns_.distance(column::near_last, blocks_.last());
    }
    return 0;
}

void event_decoder::decode_release(event& to, site& at, std::uint8_t field) {
    const std::uint8_t method_number = swapped_method(field, at.last_method);
    if (method_number >= release_ways) {
        throw bad_bytes("an event has a block that does not exist");
    }
    at.last_method = method_number;
    const auto method = static_cast<release_way>(method_number);
    if (method == release_way::foreign) {
        to.address = columns_.distance(column::foreign, blocks_.last_foreign());
        blocks_.freed_foreign(to.address);
        return;
    }
    const block_id block = method == release_way::lag ? blocks_.with_lag(columns_.number(column::lag))
                                                      : blocks_.find(method, at.last_lag);
    if (block == 0) {
        throw bad_bytes("an event frees an unknown block");
    }
    at.last_lag = blocks_.current_lag(block);
    to.address = blocks_.address_at(block);
    blocks_.freed(block);
}

} // namespace mallard::trace
