#include "trace/encode/site_model.hpp"

#include <algorithm>
#include <bit>

namespace mallard::trace {

namespace {

constexpr std::uint32_t fewest_places = 1U << 8;
constexpr std::uint32_t most_places = 1U << 16;
constexpr std::uint32_t call_places = 1U << 14;

constexpr std::uint32_t mix(std::uint32_t value) noexcept {
    value *= 0x9e3779b1U;
    return value ^ value >> 15;
}

} // namespace

void site_model::begin(std::uint32_t events, const context_tree& contexts, context_id previous_context) {
    contexts_ = &contexts;
    const std::uint32_t places = std::clamp(std::bit_ceil(events), fewest_places, most_places);
    mask_ = places - 1;
    sites_.assign(1, site{});
    by_last_three_.assign(places, 0);
    by_last_two_.assign(places, 0);
    pairs_.assign(places, site_pair{});
    calls_.assign(std::min(places, call_places), call_facts{});
    three_place_ = two_place_ = 0;
    mixed_ = {};
    last_ = 0;
    last_context_ = previous_context;
}

std::uint32_t site_model::call_place(context_id context) const noexcept {
    const std::uint64_t inner = contexts_->address(context);
    const std::uint64_t outer = contexts_->address(contexts_->parent(context));
    const std::uint64_t mixed = (inner * 0x9e3779b97f4a7c15U ^ outer) * 0xff51afd7ed558ccdU;
    return static_cast<std::uint32_t>(mixed >> 40) & static_cast<std::uint32_t>(calls_.size() - 1);
}

record_kind site_model::expected_kind(context_id context) const noexcept {
    // The two events of a realloc have one context.
    if (sites_[last_].kind == record_kind::realloc_old && sites_[last_].context == context) {
        return record_kind::realloc;
    }
    return calls_[call_place(context)].last_kind;
}

site_id site_model::add(context_id context, record_kind kind, std::uint64_t number) {
    const auto added = static_cast<site_id>(sites_.size());
    site& to = sites_.emplace_back();
    to.context = context;
    to.kind = kind;
    to.number = number;
    to.shape = to_shape(kind);
    to.call = call_place(context);
    if (kind != record_kind::realloc) {
        calls_[to.call].last_kind = kind;
    }
    return added;
}

site_pair& site_model::pair_with(site_id next) noexcept {
    site_pair& pair = pairs_[mix(mixed_[0] + next) & mask_];
    if (pair.first != last_ || pair.second != next) {
        pair = {last_, next, most_kept(next), 0};
    } else if (!has_stack(sites_[last_].kind)) [[unlikely]] {
        pair.kept = most_kept(next); // the last context may have changed since
    }
    return pair;
}

void site_model::pass(site_id next) noexcept {
    by_last_three_[three_place_] = next;
    by_last_two_[two_place_] = next;
    auto& followers = sites_[last_].followers;
    if (followers[0] != next) {
        followers[1] = followers[0];
        followers[0] = next;
    }
    const std::uint32_t last_two = mix(mixed_[0] ^ next * 0x85ebca6bU);
    three_place_ = mix(mixed_[1] ^ next * 0xc2b2ae35U) & mask_;
    two_place_ = last_two & mask_;
    mixed_ = {mix(next), last_two};
    last_ = next;
    if (has_stack(sites_[next].kind)) {
        last_context_ = sites_[next].context;
    }
}

std::uint32_t site_model::most_kept(site_id next) const noexcept {
    if (!has_stack(sites_[next].kind)) {
        return 0;
    }
    return contexts_->common_levels(last_context_, sites_[next].context);
}

} // namespace mallard::trace
