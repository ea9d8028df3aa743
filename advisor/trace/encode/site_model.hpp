/// Predicts the next call, its time, and the new levels of its stack. The writer and the reader use the same model.
///
/// Data model: a *site* is a context with a kind of event, and with a number for kinds that have one. Sites are numbered
/// from 1 in order of their first events in the frame; 0 means none. After the last three sites, the last two and the
/// last one, the model expects the site that followed last time.
/// Invariant: both sides pass the same events to the model, so their predictions agree.
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

/// The fields of an event beside its site and time.
enum class event_shape : std::uint8_t { none, allocation, release, repeated_address, count };

constexpr event_shape to_shape(record_kind kind) noexcept {
    if (kind == record_kind::realloc_failed) {
        return event_shape::repeated_address;
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
    return event_shape::none;
}

/// True for kinds whose sites also differ by the event's address.
constexpr bool is_numbered_by_address(record_kind kind) noexcept {
    return has_number(kind) || is_of_function(kind);
}
/// True for kinds whose sites also differ by a number.
constexpr bool is_numbered(record_kind kind) noexcept {
    return is_numbered_by_address(kind) || is_of_pool(kind);
}

constexpr std::uint64_t site_number(const event& source) noexcept {
    return is_of_pool(source.kind) ? source.pool : is_numbered_by_address(source.kind) ? source.address : 0;
}

struct site {
    std::uint64_t number = 0;
    std::uint64_t last_bytes = 0;
    context_id context = 0;
    std::array<site_id, 2> followers{}; ///< the last two distinct ones
    std::uint32_t call = 0;             ///< place of the innermost call of the context
    std::uint32_t last_lag = 0;         ///< lag of the last block freed at the site
    record_kind kind = record_kind::end;
    event_shape shape = event_shape::none;
    std::uint8_t last_method = 0; ///< by which the last block was found
    bool used = false;            ///< `last_bytes` is valid
};

/// Times are in one of this many columns, by the expected time.
inline constexpr unsigned time_classes = 24;

/// Statistics of two consecutive sites.
struct site_pair {
    site_id first = 0;
    site_id second = 0;
    std::uint32_t kept = 0;
    std::uint32_t average = 0; ///< steps of time between them, in sixteenths
};

/// Statistics of the events of a call, regardless of its callers.
struct call_facts {
    std::uint64_t last_bytes = 0;
    std::uint32_t average = 0; ///< steps of time before its events, in sixteenths
    record_kind last_kind = record_kind::malloc;
};

/// Returns: the class of an average of steps.
constexpr unsigned to_time_class(std::uint32_t average) noexcept {
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
    const auto current = static_cast<std::uint32_t>((steps < most ? steps : most) * 16 + 1);
    return average == 0 ? current : average - average / 4 + current / 4;
}

class site_model {
public:
    static constexpr unsigned expected_sites = 4;

    /// Effects: begins a frame of `events` events.
    void begin(std::uint32_t events, const context_tree& contexts, context_id previous_context);

    /// Effects: reserves room for `sites` sites.
    void reserve(std::size_t sites) { sites_.reserve(sites + 1); }

    /// Returns: an expected site; `index` 0 is the likeliest one.
    [[nodiscard]] site_id expected(unsigned index) const noexcept {
        switch (index) {
        case 0:
            return by_last_three_[three_place_];
        case 1:
            return by_last_two_[two_place_];
        default:
            return sites_[last_].followers[index - 2];
        }
    }

    site_id add(context_id context, record_kind kind, std::uint64_t number);
    /// Returns: the expected kind of a new site.
    [[nodiscard]] record_kind expected_kind(context_id context) const noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return sites_.size(); }
    site& operator[](site_id index) noexcept { return sites_[index]; }
    /// Returns: the expected bytes of an allocation at the site.
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

    /// Returns: the statistics of the last site and this one. For a new pair, `kept` is most_kept(next).
    /// Invariant: `kept` is at most most_kept(next).
    site_pair& pair_with(site_id next) noexcept;
    /// Returns: the number of common levels of the last context and that of the site.
    [[nodiscard]] std::uint32_t most_kept(site_id next) const noexcept;

    /// Returns: the class of the expected time between the last event and this one.
    [[nodiscard]] unsigned time_class(const site_pair& pair, const site& at) const noexcept {
        return to_time_class(pair.average != 0 ? pair.average : calls_[at.call].average);
    }
    void learn_time(site_pair& pair, const site& at, std::uint64_t steps) noexcept {
        pair.average = average_with(pair.average, steps);
        calls_[at.call].average = average_with(calls_[at.call].average, steps);
    }

    /// Effects: passes the event, which is at that site.
    void pass(site_id next) noexcept;

private:
    [[nodiscard]] std::uint32_t call_place(context_id context) const noexcept;

    const context_tree* contexts_ = nullptr;
    large_vector<site> sites_;
    std::vector<site_id> by_last_three_;
    std::vector<site_id> by_last_two_;
    large_vector<site_pair> pairs_;
    std::vector<call_facts> calls_;
    std::uint32_t mask_ = 0; ///< of the places in the three tables
    std::uint32_t three_place_ = 0;
    std::uint32_t two_place_ = 0;
    std::array<std::uint32_t, 2> mixed_{}; ///< of the last site, and of the last two
    site_id last_ = 0;
    context_id last_context_ = 0; ///< of the last event with a stack
};

/// Predicts the numbers of events without a block: frames of functions, and counts.
class count_model {
public:
    void begin() {
        frames_.clear();
        last_ = 0;
    }

    /// Returns: the frame with which a function was entered, at its exit; else the last number of the site.
    [[nodiscard]] std::uint64_t expected(const site& at) const noexcept {
        return at.kind == record_kind::function_exit && !frames_.empty() ? frames_.back() : at.last_bytes;
    }
    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

    void pass(site& at, std::uint64_t number) {
        at.last_bytes = last_ = number;
        if (at.kind == record_kind::function_enter) {
            frames_.push_back(number);
        } else if (at.kind == record_kind::function_exit && !frames_.empty()) {
            frames_.pop_back();
        }
    }

private:
    std::vector<std::uint64_t> frames_; ///< of functions that were entered and not yet left
    std::uint64_t last_ = 0;
};

} // namespace mallard::trace
