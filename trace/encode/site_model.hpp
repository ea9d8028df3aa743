/// Which call comes next, when, and how much of its stack is new: what a writer and a reader expect alike.
///
/// Data model: a *site* is a context with a kind of event, and with a number for kinds that have one. Sites are numbered
/// from 1 in the order of their first events in the frame; 0 is none. After the last three sites, the last two and the
/// last one, the model expects the site that followed there before.
/// Invariant: both sides tell the model the same events, so it expects the same for both.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/event.hpp"
#include "trace/large_memory.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace mallard::trace {

using site_id = std::uint32_t;

/// What an event has beside its site and time.
enum class event_shape : std::uint8_t { nothing, allocation, release, address_again, count };

constexpr event_shape shape_of(record_kind kind) noexcept {
    if (kind == record_kind::realloc_failed) {
        return event_shape::address_again;
    }
    if (allocates(kind) || kind == record_kind::pool_allocated) {
        return event_shape::allocation;
    }
    if (frees(kind) || kind == record_kind::pool_freed) {
        return event_shape::release;
    }
    if (kind == record_kind::pool_rolled_back || kind == record_kind::gap || is_of_function(kind)) {
        return event_shape::count;
    }
    return event_shape::nothing;
}

/// True for kinds whose sites differ by the event's address too.
constexpr bool is_numbered_by_address(record_kind kind) noexcept {
    return has_number(kind) || is_of_function(kind);
}
/// True for kinds whose sites differ by a number too.
constexpr bool is_numbered(record_kind kind) noexcept {
    return is_numbered_by_address(kind) || is_of_pool(kind);
}

constexpr std::uint64_t number_of(const event& of) noexcept {
    return is_of_pool(of.kind) ? of.pool : is_numbered_by_address(of.kind) ? of.address : 0;
}

struct site {
    std::uint64_t number = 0;
    std::uint64_t last_bytes = 0;
    context_id context = 0;
    std::array<site_id, 2> followers{}; ///< the last two different ones
    std::uint32_t call = 0;             ///< place of the call that the context ends with
    std::uint32_t last_lag = 0;         ///< blocks that were allocated since the one that was freed here
    record_kind kind = record_kind::end;
    event_shape shape = event_shape::nothing;
    std::uint8_t last_way = 0; ///< in which the last block was found
    bool used = false;         ///< `last_bytes` is that of an event
};

/// Times are in one of so many columns, by the time that is expected.
inline constexpr unsigned time_classes = 24;

/// What is known of two sites that follow each other.
struct site_pair {
    site_id first = 0;
    site_id second = 0;
    std::uint32_t kept = 0;
    std::uint32_t average = 0; ///< steps of time between them, in sixteenths
};

/// What is known of the events of a call, whatever is outside of it.
struct call_facts {
    std::uint64_t last_bytes = 0;
    std::uint32_t average = 0; ///< steps of time before its events, in sixteenths
    record_kind last_kind = record_kind::malloc;
};

/// Returns: the class of an average of steps.
constexpr unsigned time_class_of(std::uint32_t average) noexcept {
    if (average == 0) {
        return 0;
    }
    const auto width = static_cast<unsigned>(std::bit_width(average));
    const unsigned half = width > 1 ? average >> (width - 2) & 1 : 0;
    const unsigned fine = width * 2 + half;
    return fine < 10 ? 1 : fine > 31 ? 23 : fine - 8;
}

constexpr std::uint32_t average_with(std::uint32_t average, std::uint64_t steps) noexcept {
    constexpr std::uint64_t most = 1U << 24;
    const auto now = static_cast<std::uint32_t>((steps < most ? steps : most) * 16 + 1);
    return average == 0 ? now : average - average / 4 + now / 4;
}

class site_model {
public:
    static constexpr unsigned expected_sites = 4;

    /// Effects: begins a frame of so many events.
    void begin(std::uint32_t events, const context_tree& contexts, context_id context_before);

    /// Effects: so many sites are added without a copy of the others.
    void reserve(std::size_t sites) { sites_.reserve(sites + 1); }

    /// Returns: the site that is expected, of `expected_sites`; the likeliest one is 0.
    [[nodiscard]] site_id expected(unsigned which) const noexcept {
        switch (which) {
        case 0:
            return after_three_[place_after_three_];
        case 1:
            return after_two_[place_after_two_];
        default:
            return sites_[last_].followers[which - 2];
        }
    }

    site_id add(context_id context, record_kind kind, std::uint64_t number);
    /// Returns: the kind that is expected of a new site.
    [[nodiscard]] record_kind expected_kind(context_id context) const noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return sites_.size(); }
    site& operator[](site_id which) noexcept { return sites_[which]; }
    /// Returns: the bytes that are expected of an allocation there.
    [[nodiscard]] std::uint64_t expected_bytes(const site& at) const noexcept {
        return at.used ? at.last_bytes : calls_[at.call].last_bytes;
    }
    void learn_bytes(site& at, std::uint64_t bytes) noexcept {
        if (!at.used || at.last_bytes != bytes) {
            calls_[at.call].last_bytes = bytes;
        }
        at.last_bytes = bytes;
        at.used = true;
    }
    [[nodiscard]] site_id last() const noexcept { return last_; }
    [[nodiscard]] context_id last_context() const noexcept { return last_context_; }

    /// Returns: what is known of the last site and this one. If that is nothing, `kept` is most_kept(next).
    /// Invariant: `kept` is at most most_kept(next).
    site_pair& pair_with(site_id next) noexcept;
    /// Returns: the levels that the last context and that of the site have in common.
    [[nodiscard]] std::uint32_t most_kept(site_id next) const noexcept;

    /// Returns: the class of the time that is expected between the last event and that one.
    [[nodiscard]] unsigned time_class(const site_pair& pair, const site& at) const noexcept {
        return time_class_of(pair.average != 0 ? pair.average : calls_[at.call].average);
    }
    void learn_time(site_pair& pair, const site& at, std::uint64_t steps) noexcept {
        pair.average = average_with(pair.average, steps);
        calls_[at.call].average = average_with(calls_[at.call].average, steps);
    }

    /// Effects: the event is at that site.
    void pass(site_id next) noexcept;

private:
    [[nodiscard]] std::uint32_t call_place(context_id context) const noexcept;

    const context_tree* contexts_ = nullptr;
    large_vector<site> sites_;
    std::vector<site_id> after_three_;
    std::vector<site_id> after_two_;
    large_vector<site_pair> pairs_;
    std::vector<call_facts> calls_;
    std::uint32_t mask_ = 0; ///< of places in the three tables
    std::uint32_t place_after_three_ = 0;
    std::uint32_t place_after_two_ = 0;
    std::array<std::uint32_t, 2> mixed_{}; ///< of the last site, and of the last two
    site_id last_ = 0;
    context_id last_context_ = 0; ///< of the last event with a stack
};

} // namespace mallard::trace
