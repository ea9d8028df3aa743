#include "trace/encode/event_encoder.hpp"

#include <algorithm>

namespace mallard::trace {

namespace {

std::uint64_t key_of(const event& of) noexcept {
    return std::uint64_t{of.context} << 8 | static_cast<std::uint8_t>(of.kind);
}

/// Returns: what tells blocks of pools from those of malloc at the same address.
std::uint64_t owner_of(const event& of) noexcept {
    return is_of_pool(of.kind) ? ~of.pool : 0;
}

} // namespace

void event_encoder::encode(std::span<const event> events, const known_contexts& contexts,
                           context_id context_before) {
    contexts_ = &contexts;
    const auto count = static_cast<std::uint32_t>(events.size());
    sites_.reserve(events.size());
    blocks_.reserve(events.size());
    sites_.begin(count, contexts.tree, context_before);
    blocks_.begin();
    counts_.begin();
    columns_.clear();
    site_numbers_.begin(events.size());
    site_keys_.clear();
    site_keys_.reserve(events.size() + 1);
    site_keys_.push_back(0);
    block_numbers_.begin(events.size());
    block_owners_.clear();
    block_owners_.reserve(events.size() + 1);
    block_owners_.push_back(0);
    next_leaf_ = 0;
    last_number_ = 0;
    last_step_ = events.empty() ? 0 : events.front().ticks / ticks_of_step;
    for (const event& each : events) {
        const choice chosen = choose_site(each);
        site_pair& pair = sites_.pair_with(chosen.which);
        if (each.kept != pair.kept) {
            columns_[column::operation].byte(operation(step::exception, exception::kept));
            columns_.number(column::kept, each.kept);
            pair.kept = each.kept;
        }
        if (each.ticks_inside != 0) {
            columns_[column::operation].byte(operation(step::exception, exception::inside));
            columns_.number(column::inside, each.ticks_inside);
            columns_.number(column::inside, each.ticks_recorder);
        }
        encode_time(each, pair, sites_[chosen.which]);
        columns_[column::operation].byte(operation(chosen.way, encode_fields(each, sites_[chosen.which])));
        sites_.pass(chosen.which);
    }
    columns_.finish();
    write_prologue(context_before);
}

void event_encoder::write_prologue(context_id context_before) {
    prologue_.clear();
    prologue_.number(ticks_of_step);
    prologue_.number(context_before);
    columns_.write_lengths(prologue_);
}

event_encoder::choice event_encoder::choose_site(const event& of) {
    const std::uint64_t key = key_of(of);
    const std::uint64_t number = number_of(of);
    const auto is_there = [&](site_id which) {
        return site_keys_[which] == key && (!is_numbered(of.kind) || sites_[which].number == number);
    };
    // No site has the key of site 0, which is none.
    for (unsigned which = 0; which < site_model::expected_sites; ++which) {
        if (const site_id there = sites_.expected(which); is_there(there)) {
            return {static_cast<step>(which), there};
        }
    }
    site_id& place = site_numbers_.find(mixed_hash(key, number), is_there);
    if (place == 0) {
        return make_site(of, place);
    }
    columns_.number(column::known_site, sites_.size() - place);
    return {step::known, place};
}

event_encoder::choice event_encoder::make_site(const event& of, site_id& place) {
    step way = step::old_context;
    const auto& leaves = contexts_->leaves;
    const auto next = leaves.begin() + static_cast<std::ptrdiff_t>(next_leaf_);
    const auto leaf = std::lower_bound(next, leaves.end(), of.context);
    if (leaf != leaves.end() && *leaf == of.context) {
        way = step::new_context;
        columns_.number(column::new_context, static_cast<std::uint64_t>(leaf - next));
        next_leaf_ = static_cast<std::size_t>(leaf - leaves.begin()) + 1;
    } else if (of.context == sites_[sites_.last()].context) {
        columns_.number(column::old_context, 0);
    } else {
        const std::int64_t highest = next_leaf_ == 0 ? 0 : leaves[next_leaf_ - 1];
        columns_.number(column::old_context, zigzag(highest - std::int64_t{of.context}) + 1);
    }
    const bool is_expected = of.kind == sites_.expected_kind(of.context);
    columns_[column::kind].byte(is_expected ? 0 : static_cast<std::uint8_t>(of.kind));
    const std::uint64_t number = number_of(of);
    if (is_numbered(of.kind)) {
        columns_.number(column::number, zigzag(static_cast<std::int64_t>(number - last_number_)));
        last_number_ = number;
    }
    place = sites_.add(of.context, of.kind, number);
    site_keys_.push_back(key_of(of));
    return {way, place};
}

void event_encoder::encode_time(const event& of, site_pair& pair, const site& at) {
    const std::uint64_t step = of.ticks / ticks_of_step;
    columns_.number(time_column(sites_.time_class(pair, at)), step - last_step_);
    sites_.learn_time(pair, at, step - last_step_);
    last_step_ = step;
}

std::uint8_t event_encoder::encode_fields(const event& of, site& at) {
    switch (at.shape) {
    case event_shape::allocation:
        return encode_allocation(of, at);
    case event_shape::release:
        return encode_release(of, at);
    case event_shape::address_again:
        if (of.address == blocks_.freed_just_now()) {
            return 0;
        }
        columns_.distance(column::foreign, of.address, blocks_.last_foreign());
        blocks_.freed_foreign(of.address);
        return 1;
    case event_shape::count: {
        const bool is_expected = of.bytes == counts_.expected(at);
        if (!is_expected) {
            columns_.number(column::count, zigzag(static_cast<std::int64_t>(of.bytes - counts_.last())));
        }
        counts_.pass(at, of.bytes);
        return is_expected ? 0 : 1;
    }
    case event_shape::nothing:
        break;
    }
    return 0;
}

std::uint8_t event_encoder::encode_allocation(const event& of, site& at) {
    std::uint8_t field = 0;
    if (of.bytes != sites_.expected_bytes(at)) {
        columns_[column::bytes].number(of.bytes);
        field = other_bytes;
    }
    sites_.learn_bytes(at, of.bytes);
    const std::uint16_t size_class = block_model::size_class_of(of.kind, of.bytes);
    unsigned rank = 0;
    const place_way way = choose_place(of, size_class, rank);
    if (way == place_way::freed_earlier) {
        columns_.number(column::rank, rank);
    } else if (way == place_way::near_class) {
        columns_.distance(column::near_class, of.address, blocks_.last_of_class(size_class));
    } else if (way == place_way::near_last) {
        columns_.distance(column::near_last, of.address, blocks_.last());
    }
    const block_id block =
        blocks_.allocated(of.address, size_class, block_model::stride_of(of.kind, of.bytes), way, rank);
    block_owners_.push_back(owner_of(of));
    number_of_block(of) = block;
    field |= swapped_way(static_cast<std::uint8_t>(way), at.last_way);
    at.last_way = static_cast<std::uint8_t>(way);
    return field;
}

place_way event_encoder::choose_place(const event& of, std::uint16_t size_class, unsigned& rank) const {
    if (const unsigned found = blocks_.rank_of(of.address, size_class); found < block_model::most_rank) {
        rank = found;
        return found < 3 ? static_cast<place_way>(found) : place_way::freed_earlier;
    }
    if (of.address == blocks_.after_carved()) {
        return place_way::after_carved;
    }
    if (of.address == blocks_.after_last()) {
        return place_way::after_last;
    }
    if (of.address == blocks_.freed_just_now()) {
        return place_way::freed_just_now;
    }
    if (of.address == blocks_.after_highest()) {
        return place_way::after_highest;
    }
    const auto bits = [&](std::uint64_t from) {
        return std::bit_width(zigzag(static_cast<std::int64_t>(of.address - from)));
    };
    return bits(blocks_.last_of_class(size_class)) <= bits(blocks_.last()) ? place_way::near_class
                                                                           : place_way::near_last;
}

std::uint8_t event_encoder::encode_release(const event& of, site& at) {
    block_id& place = number_of_block(of);
    const block_id block = place;
    const release_way way = choose_release(block, at);
    if (way == release_way::foreign) {
        columns_.distance(column::foreign, of.address, blocks_.last_foreign());
        blocks_.freed_foreign(of.address);
    } else {
        const std::uint32_t lag = blocks_.lag_of(block);
        if (way == release_way::lag) {
            columns_.number(column::lag, lag);
        }
        at.last_lag = lag;
        block_numbers_.erase(place, [&](block_id which) { return hash_of_block(which); });
        blocks_.freed(block);
    }
    const std::uint8_t field = swapped_way(static_cast<std::uint8_t>(way), at.last_way);
    at.last_way = static_cast<std::uint8_t>(way);
    return field;
}

release_way event_encoder::choose_release(block_id block, const site& at) const {
    if (block == 0) {
        return release_way::foreign;
    }
    const auto last_way = static_cast<release_way>(at.last_way);
    if (last_way < release_way::lag && blocks_.found(last_way, at.last_lag) == block) {
        return last_way;
    }
    for (unsigned way = 0; way < static_cast<unsigned>(release_way::lag); ++way) {
        if (blocks_.found(static_cast<release_way>(way), at.last_lag) == block) {
            return static_cast<release_way>(way);
        }
    }
    return release_way::lag;
}

block_id& event_encoder::number_of_block(const event& of) {
    const std::uint64_t owner = owner_of(of);
    return block_numbers_.find(mixed_hash(of.address, owner), [&](block_id which) {
        return blocks_.address_of(which) == of.address && block_owners_[which] == owner;
    });
}

std::uint64_t event_encoder::hash_of_block(block_id which) const noexcept {
    return mixed_hash(blocks_.address_of(which), block_owners_[which]);
}

} // namespace mallard::trace
