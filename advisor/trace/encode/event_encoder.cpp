#include "trace/encode/event_encoder.hpp"

#include <algorithm>

namespace mallard::trace {

namespace {

std::uint64_t site_key(const event& source) noexcept {
    return std::uint64_t{source.context} << 8 | static_cast<std::uint8_t>(source.kind);
}

/// Returns: the owner, which distinguishes blocks of pools from those of malloc at the same address.
std::uint64_t block_owner(const event& source) noexcept {
    return is_of_pool(source.kind) ? ~source.pool : 0;
}

} // namespace

void event_encoder::encode(std::span<const event> events, const context_tree& contexts,
                           context_id previous_context) {
    contexts_ = &contexts;
    const auto count = static_cast<std::uint32_t>(events.size());
    sites_.reserve(events.size());
    blocks_.reserve(events.size());
    sites_.begin(count, contexts, previous_context);
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
    next_run_ = stack_ends;
    last_number_ = 0;
    last_step_ = events.empty() ? 0 : events.front().ticks / ticks_per_step;
    for (const event& source : events) {
        const choice selected = choose_site(source);
        site_pair& pair = sites_.pair_with(selected.index);
        if (source.kept != pair.kept) {
            columns_[column::operation].byte(operation(step::exception, exception::kept));
            columns_.number(column::kept, source.kept);
            pair.kept = source.kept;
        }
        if (source.ticks_inside != 0) {
            columns_[column::operation].byte(operation(step::exception, exception::inside));
            columns_.number(column::inside, source.ticks_inside);
            columns_.number(column::inside, source.ticks_recorder);
        }
        encode_time(source, pair, sites_[selected.index]);
        columns_[column::operation].byte(
            operation(selected.method, encode_fields(source, sites_[selected.index])));
        sites_.pass(selected.index);
    }
    columns_.finish();
    write_prologue(previous_context);
}

void event_encoder::write_prologue(context_id previous_context) {
    prologue_.clear();
    prologue_.number(ticks_per_step);
    prologue_.number(previous_context);
    columns_.write_lengths(prologue_);
}

event_encoder::choice event_encoder::choose_site(const event& source) {
    const std::uint64_t key = site_key(source);
    const std::uint64_t number = site_number(source);
    const auto matches = [&](site_id candidate) {
        return site_keys_[candidate] == key &&
               (!is_numbered(source.kind) || sites_[candidate].number == number);
    };
    // No site has the key of site 0, which means none.
    for (unsigned index = 0; index < site_model::expected_sites; ++index) {
        if (const site_id candidate = sites_.expected(index); matches(candidate)) {
            return {static_cast<step>(index), candidate};
        }
    }
    site_id& place = site_numbers_.find(mixed_hash(key, number), matches);
    if (place == 0) {
        return make_site(source, place);
    }
    columns_.number(column::known_site, sites_.size() - place);
    return {step::known, place};
}

event_encoder::choice event_encoder::make_site(const event& source, site_id& place) {
    step method = step::old_context;
    const run_id run = contexts_->run(source.context);
    if (run >= next_run_ && contexts_->last_node(run) == source.context) {
        method = step::new_context;
        columns_.number(column::new_context, run - next_run_);
        next_run_ = run + 1;
    } else if (source.context == sites_[sites_.last()].context) {
        columns_.number(column::old_context, 0);
    } else {
        const std::int64_t highest = next_run_ == stack_ends ? 0 : contexts_->last_node(next_run_ - 1);
        columns_.number(column::old_context, zigzag(highest - std::int64_t{source.context}) + 1);
    }
    const bool is_expected = source.kind == sites_.expected_kind(source.context);
    columns_[column::kind].byte(is_expected ? 0 : static_cast<std::uint8_t>(source.kind));
    const std::uint64_t number = site_number(source);
    if (is_numbered(source.kind)) {
        columns_.number(column::number, zigzag(static_cast<std::int64_t>(number - last_number_)));
        last_number_ = number;
    }
    place = sites_.add(source.context, source.kind, number);
    site_keys_.push_back(site_key(source));
    return {method, place};
}

void event_encoder::encode_time(const event& source, site_pair& pair, const site& at) {
    const std::uint64_t step = source.ticks / ticks_per_step;
    columns_.number(time_column(sites_.time_class(pair, at)), step - last_step_);
    sites_.learn_time(pair, at, step - last_step_);
    last_step_ = step;
}

std::uint8_t event_encoder::encode_fields(const event& source, site& at) {
    switch (at.shape) {
    case event_shape::allocation:
        return encode_allocation(source, at);
    case event_shape::release:
        return encode_release(source, at);
    case event_shape::repeated_address:
        if (source.address == blocks_.last_freed()) {
            return 0;
        }
        columns_.distance(column::foreign, source.address, blocks_.last_foreign());
        blocks_.freed_foreign(source.address);
        return 1;
    case event_shape::count: {
        const bool is_expected = source.bytes == counts_.expected(at);
        if (!is_expected) {
            columns_.number(column::count, zigzag(static_cast<std::int64_t>(source.bytes - counts_.last())));
        }
        counts_.pass(at, source.bytes);
        return is_expected ? 0 : 1;
    }
    case event_shape::none:
        break;
    }
    return 0;
}

std::uint8_t event_encoder::encode_allocation(const event& source, site& at) {
    std::uint8_t field = 0;
    if (source.bytes != sites_.expected_bytes(at)) {
        columns_[column::bytes].number(source.bytes);
        field = unexpected_bytes;
    }
    sites_.learn_bytes(at, source.bytes);
    const std::uint16_t size_class = block_model::to_size_class(source.kind, source.bytes);
    unsigned rank = 0;
    const place_way method = choose_place(source, size_class, rank);
    if (method == place_way::freed_earlier) {
        columns_.number(column::rank, rank);
    } else if (method == place_way::near_class) {
        columns_.distance(column::near_class, source.address, blocks_.last_of_class(size_class));
    } else if (method == place_way::near_last) {
        columns_.distance(column::near_last, source.address, blocks_.last());
    }
    const block_id block = blocks_.allocated(
        source.address, size_class, block_model::block_stride(source.kind, source.bytes), method, rank);
    block_owners_.push_back(block_owner(source));
    block_number(source) = block;
    field |= swapped_method(static_cast<std::uint8_t>(method), at.last_method);
    at.last_method = static_cast<std::uint8_t>(method);
    return field;
}

place_way event_encoder::choose_place(const event& source, std::uint16_t size_class, unsigned& rank) const {
    if (const unsigned match = blocks_.find_rank(source.address, size_class);
        match < block_model::most_rank) {
        rank = match;
        return match < 3 ? static_cast<place_way>(match) : place_way::freed_earlier;
    }
    if (source.address == blocks_.behind_carved()) {
        return place_way::behind_carved;
    }
    if (source.address == blocks_.behind_last()) {
        return place_way::behind_last;
    }
    if (source.address == blocks_.last_freed()) {
        return place_way::freed_any_size;
    }
    if (source.address == blocks_.behind_highest()) {
        return place_way::behind_highest;
    }
    const auto bits = [&](std::uint64_t from) {
        return std::bit_width(zigzag(static_cast<std::int64_t>(source.address - from)));
    };
    return bits(blocks_.last_of_class(size_class)) <= bits(blocks_.last()) ? place_way::near_class
                                                                           : place_way::near_last;
}

std::uint8_t event_encoder::encode_release(const event& source, site& at) {
    block_id& place = block_number(source);
    const block_id block = place;
    const release_way method = choose_release(block, at);
    if (method == release_way::foreign) {
        columns_.distance(column::foreign, source.address, blocks_.last_foreign());
        blocks_.freed_foreign(source.address);
    } else {
        const std::uint32_t lag = blocks_.current_lag(block);
        if (method == release_way::lag) {
            columns_.number(column::lag, lag);
        }
        at.last_lag = lag;
        block_numbers_.erase(place, [&](block_id index) { return block_hash(index); });
        blocks_.freed(block);
    }
    const std::uint8_t field = swapped_method(static_cast<std::uint8_t>(method), at.last_method);
    at.last_method = static_cast<std::uint8_t>(method);
    return field;
}

release_way event_encoder::choose_release(block_id block, const site& at) const {
    if (block == 0) {
        return release_way::foreign;
    }
    const auto last_method = static_cast<release_way>(at.last_method);
    if (last_method < release_way::lag && blocks_.find(last_method, at.last_lag) == block) {
        return last_method;
    }
    for (unsigned method = 0; method < static_cast<unsigned>(release_way::lag); ++method) {
        if (blocks_.find(static_cast<release_way>(method), at.last_lag) == block) {
            return static_cast<release_way>(method);
        }
    }
    return release_way::lag;
}

block_id& event_encoder::block_number(const event& source) {
    const std::uint64_t owner = block_owner(source);
    return block_numbers_.find(mixed_hash(source.address, owner), [&](block_id candidate) {
        return blocks_.address_at(candidate) == source.address && block_owners_[candidate] == owner;
    });
}

std::uint64_t event_encoder::block_hash(block_id index) const noexcept {
    return mixed_hash(blocks_.address_at(index), block_owners_[index]);
}

} // namespace mallard::trace
