/// Sums for each context of an event: a *call*, which allocates or frees.
///
/// Data model: calls are numbered in the order of their first events. A call's first size class is stored in the call,
/// its other classes in a list, found by (call, class) through open addressing.
///
/// A deep interpreter has millions of contexts, nearly all of them different ways through one recursion. The number of
/// calls is bounded in two steps:
///
///     calls                contexts with one call
///     < most_calls         one
///     < 2 * most_calls     those with the same counting functions in the same order, and the same innermost levels
///     beyond               those with the same innermost level
///
/// The first step changes no figure of a scope or a site: their blocks are those of the counting functions, and of the
/// innermost levels. A call that stands for several contexts has the first of them as its example.
//
/// A new peak of the process costs nothing: a call stores its live blocks at the peak when they first change after it.
#pragma once

#include "profiler/scopes/scope_tree.hpp"
#include "profiler/scopes/size_class.hpp"
#include "trace/event.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mallard::advisor {

using call_id = std::uint32_t;
inline constexpr call_id no_call = 0xffff'ffff;

struct call_totals {
    trace::context_id context = 0;
    std::uint32_t first_class = 0;
    std::uint64_t first_class_allocations = 0;
    std::uint64_t first_class_bytes = 0;
    std::uint64_t first_class_outgrown = 0;
    std::uint64_t frees = 0; ///< calls that free
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest = 0;
    std::uint64_t last_size = 0;
    std::uint64_t shrinks = 0;     ///< blocks smaller than the previous one
    std::uint64_t other_kinds = 0; ///< events that neither allocate nor free

    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;
    // Blocks that were allocated here and freed anywhere.
    std::uint64_t freed = 0;
    std::uint64_t freed_bytes = 0;
    std::uint64_t freed_elsewhere = 0; ///< by another thread
    std::uint64_t freed_elsewhere_bytes = 0;
    std::uint64_t temporary = 0; ///< freed before the next allocation of the thread
    std::uint64_t temporary_bytes = 0;
    // Live blocks that were allocated before the analysed part of the time.
    std::uint64_t earlier = 0;
    std::uint64_t earlier_bytes = 0;
    // New blocks of realloc that are larger than the old ones, and the bytes of both.
    std::uint64_t grown = 0;
    std::uint64_t grown_from_bytes = 0;
    std::uint64_t grown_to_bytes = 0;
    double life_ticks = 0;
    double life_clock = 0; ///< bytes that the process allocated during the blocks' lives

    std::uint64_t most_live_bytes = 0;
    std::uint64_t most_live = 0;
    std::uint64_t returns = 0; ///< of the live bytes to zero
    std::uint64_t since_return = 0;
    std::uint64_t most_between_returns = 0;

    // Live when the process held the most bytes, if `peak` is the number of that moment; else as many as now.
    std::uint64_t peak = 0;
    std::uint64_t live_at_peak = 0;
    std::uint64_t live_bytes_at_peak = 0;

    // Timed events.
    std::uint64_t timed = 0;
    std::uint64_t in_flight = 0; ///< concurrent operations of other threads
    double ticks_inside = 0;
    double squares_inside = 0;
    double ticks_recorder = 0;

    // The last step of the timeline in which the live bytes changed, and the change since the step's beginning.
    std::uint32_t step = 0;
    std::int64_t change = 0;

    [[nodiscard]] std::uint64_t live() const noexcept { return allocations - freed + earlier; }
    [[nodiscard]] std::uint64_t live_bytes() const noexcept { return bytes - freed_bytes + earlier_bytes; }
};

class call_table {
public:
    struct class_totals {
        call_id call = 0;
        std::uint32_t size_class = 0;
        std::uint64_t allocations = 0;
        std::uint64_t bytes = 0;
        std::uint64_t outgrown = 0; ///< blocks that realloc replaced by larger ones
    };

    static constexpr std::size_t default_most_calls = std::size_t{1} << 18;

    /// Requires: `stacks` outlives the table.
    explicit call_table(const scope_tree& stacks, std::size_t most_calls = default_most_calls)
        : stacks_(&stacks), most_calls_(most_calls) {}

    /// Returns: the call of the context, which is added if it is new.
    /// Requires: the context is in the stacks, and if it ends a run of their tree, it always will.
    call_id find_or_add(trace::context_id context) {
        if (context == last_context_) {
            return last_call_;
        }
        call_id& call = place(context);
        if (call == no_call) {
            call = calls_.size() < most_calls_ ? add(context) : find_or_add_shared(context);
        }
        last_context_ = context;
        last_call_ = call;
        return call;
    }

    [[nodiscard]] std::size_t most_calls() const noexcept { return most_calls_; }
    /// Contexts that share the call of an earlier one.
    [[nodiscard]] std::uint64_t shared_contexts() const noexcept { return shared_contexts_; }

    [[nodiscard]] call_totals& operator[](call_id call) noexcept { return calls_[call]; }
    [[nodiscard]] std::span<const call_totals> all() const noexcept { return calls_; }
    /// Classes of sizes, without the first class of each call.
    [[nodiscard]] std::span<const class_totals> further_classes() const noexcept { return classes_; }

    void allocated(call_id id, std::uint64_t bytes) {
        call_totals& call = calls_[id];
        keep_peak(call);
        const unsigned size_class = to_size_class(bytes);
        if (call.allocations == 0) {
            call.first_class = size_class;
        }
        if (call.first_class == size_class) {
            ++call.first_class_allocations;
            call.first_class_bytes += bytes;
        } else {
            class_totals& other = find_or_add_class(id, size_class);
            ++other.allocations;
            other.bytes += bytes;
        }
        ++call.allocations;
        call.bytes += bytes;
        call.smallest = bytes < call.smallest ? bytes : call.smallest;
        call.largest = bytes > call.largest ? bytes : call.largest;
        call.shrinks += bytes < call.last_size;
        call.last_size = bytes;
        call.since_return += bytes;
        keep_most_live(call);
    }

    /// Effects: counts a new block of realloc. `from` allocated the old one; no_call if that is not counted.
    void reallocated(call_id id, call_id from, std::uint64_t from_bytes, std::uint64_t to_bytes) {
        if (to_bytes <= from_bytes) {
            return;
        }
        call_totals& call = calls_[id];
        ++call.grown;
        call.grown_from_bytes += from_bytes;
        call.grown_to_bytes += to_bytes;
        if (from != no_call) {
            const unsigned size_class = to_size_class(from_bytes);
            ++(calls_[from].first_class == size_class ? calls_[from].first_class_outgrown
                                                      : find_or_add_class(from, size_class).outgrown);
        }
    }

    /// Effects: count blocks that were allocated before the analysed part of the time.
    void allocated_earlier(call_id id, std::uint64_t bytes) noexcept {
        ++calls_[id].earlier;
        calls_[id].earlier_bytes += bytes;
    }
    void freed_earlier(call_id id, std::uint64_t bytes) noexcept {
        call_totals& call = calls_[id];
        keep_peak(call);
        --call.earlier;
        call.earlier_bytes -= bytes;
    }
    void begin_part() noexcept {
        for (call_totals& call : calls_) {
            keep_most_live(call);
        }
    }

    void freed(call_id id, std::uint64_t bytes, double ticks, double clock, bool elsewhere,
               bool temporary) noexcept {
        call_totals& call = calls_[id];
        keep_peak(call);
        ++call.freed;
        call.freed_bytes += bytes;
        call.life_ticks += ticks;
        call.life_clock += clock;
        if (elsewhere) {
            ++call.freed_elsewhere;
            call.freed_elsewhere_bytes += bytes;
        }
        if (temporary) {
            ++call.temporary;
            call.temporary_bytes += bytes;
        }
        if (bytes != 0) {
            count_return(id);
        }
    }
    void count_return(call_id id) noexcept {
        call_totals& call = calls_[id];
        if (call.live_bytes() == 0) {
            ++call.returns;
            if (call.since_return > call.most_between_returns) {
                call.most_between_returns = call.since_return;
            }
            call.since_return = 0;
        }
    }

    /// Effects: the live blocks of all calls are those at the peak.
    void mark_peak() noexcept { ++peak_; }
    /// Effects: stores the live blocks at the peak in all calls.
    void finish_peak() noexcept {
        for (call_totals& call : calls_) {
            keep_peak(call);
        }
    }

    void time(call_id id, double ticks_inside, double ticks_recorder, std::uint64_t in_flight) noexcept {
        call_totals& call = calls_[id];
        ++call.timed;
        call.in_flight += in_flight;
        call.ticks_inside += ticks_inside;
        call.squares_inside += ticks_inside * ticks_inside;
        call.ticks_recorder += ticks_recorder;
    }

private:
    static constexpr trace::context_id no_context = 0xffff'ffff;

    void keep_peak(call_totals& call) const noexcept {
        if (call.peak != peak_) {
            call.peak = peak_;
            call.live_at_peak = call.live();
            call.live_bytes_at_peak = call.live_bytes();
        }
    }
    static void keep_most_live(call_totals& call) noexcept {
        const std::uint64_t live_bytes = call.live_bytes();
        const std::uint64_t live = call.live();
        call.most_live_bytes = live_bytes > call.most_live_bytes ? live_bytes : call.most_live_bytes;
        call.most_live = live > call.most_live ? live : call.most_live;
    }

    call_id add(trace::context_id context) {
        calls_.emplace_back().context = context;
        return static_cast<call_id>(calls_.size() - 1);
    }
    /// Returns: the place for the call of the context.
    call_id& place(trace::context_id context) {
        const trace::context_tree& contexts = stacks_->contexts();
        const trace::run_id run = contexts.run(context);
        if (contexts.last_node(run) != context) {
            return by_inner_context_.try_emplace(context, no_call).first->second;
        }
        if (run >= by_run_.size()) {
            by_run_.grow_to(contexts.runs(), no_call);
        }
        return by_run_[run];
    }
    call_id find_or_add_shared(trace::context_id context);
    class_totals& find_or_add_class(call_id call, std::uint32_t size_class);
    void grow();

    const scope_tree* stacks_;
    std::size_t most_calls_;
    std::uint64_t shared_contexts_ = 0;
    std::uint64_t peak_ = 0;                            ///< number of the highest peak so far
    std::unordered_map<std::uint64_t, call_id> shared_; ///< by a hash of what the contexts have in common
    // A context of an event is nearly always the last node of its run.
    trace::growing_array<call_id> by_run_;
    std::unordered_map<trace::context_id, call_id> by_inner_context_;
    trace::context_id last_context_ = no_context;
    call_id last_call_ = no_call;
    std::vector<call_totals> calls_;
    std::vector<class_totals> classes_;
    std::vector<std::uint32_t> places_; ///< one more than the place in `classes_`; 0 is empty
};

} // namespace mallard::advisor
