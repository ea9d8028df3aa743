/// The analysis of one process: reads its events in order and sums them up.
///
///     event -> its thread's stack -> open scopes -> sums by scope     (scope_totals, for each function)
///           -> live blocks        -> sums by call, by pair            (call_totals, pair_totals)
///                                 -> timeline, lifetimes, snapshots of the heap, pages of scopes
///
/// Marked scopes are a second stack for each thread, with the same machinery: scopes that the program marks, and functions
/// that were compiled with calls to the recorder. They are exact. Stacks give an upper bound of what a function contains,
/// because a function that is called again without an event in between looks like one call.
/// Only a part of the time may be analysed. Earlier events are followed for their stacks and live blocks, and not counted; later
/// ones are ignored. Sums over activations, which may begin or end elsewhere, then have no meaning.
/// Invariant: the time for an event depends on the new levels of its stack, not on its depth.
#pragma once

#include "profiler/analysis/heap_snapshot.hpp"
#include "profiler/analysis/marked_stacks.hpp"
#include "profiler/analysis/page_census.hpp"
#include "profiler/blocks/block_table.hpp"
#include "profiler/blocks/call_table.hpp"
#include "profiler/blocks/instances.hpp"
#include "profiler/blocks/lifetimes.hpp"
#include "profiler/blocks/live_timeline.hpp"
#include "profiler/blocks/pair_table.hpp"
#include "profiler/blocks/recorded_pools.hpp"
#include "profiler/scopes/thread_scopes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace mallard::advisor {

/// The latest operations of all threads, to count those that ran concurrently.
///
/// Data model: a ring of the last 64 operations.
class recent_events {
public:
    void add(std::uint32_t thread, std::uint64_t ticks) noexcept {
        ring_[next_++ % ring_.size()] = {ticks, thread};
    }

    /// Returns: the operations of other threads in the last `ticks` before `current`.
    [[nodiscard]] std::uint64_t count_others(std::uint32_t thread, std::uint64_t current,
                                             std::uint64_t ticks) const noexcept {
        std::uint64_t count = 0;
        const std::size_t size = next_ < ring_.size() ? next_ : ring_.size();
        for (std::size_t back = 1; back <= size; ++back) {
            const operation& at = ring_[(next_ - back) % ring_.size()];
            if (at.ticks + ticks < current) {
                break;
            }
            count += at.thread != thread;
        }
        return count;
    }

private:
    struct operation {
        std::uint64_t ticks = 0;
        std::uint32_t thread = 0;
    };

    std::array<operation, 64> ring_;
    std::size_t next_ = 0;
};

class analysis {
public:
    struct time_range {
        std::uint64_t first_ticks = 0;
        std::uint64_t last_ticks = 0;
        double ticks_per_second = 0;
        // The part that is counted, in ticks since the first event: from the first of these to before the second.
        std::uint64_t begin_ticks = 0;
        std::uint64_t end_ticks = std::numeric_limits<std::uint64_t>::max();
        double stamp_ticks = 0; ///< that a timed event has too many, on average

        [[nodiscard]] bool is_part() const noexcept {
            return begin_ticks != 0 || end_ticks != std::numeric_limits<std::uint64_t>::max();
        }
        /// Returns: the end of the part, or of the process.
        [[nodiscard]] std::uint64_t end() const noexcept {
            return std::min(std::max(last_ticks, first_ticks) - first_ticks, end_ticks);
        }
    };

    /// From these numbers on, contexts share calls, and pairs have no call that frees.
    struct limits {
        std::size_t calls = call_table::default_most_calls;
        std::size_t pairs = pair_table::default_most_pairs;
    };

    /// Requires: `stacks` outlives the analysis.
    analysis(const scope_tree& stacks, function_lookup find_function, const time_range& time,
             const limits& most);
    analysis(const scope_tree& stacks, function_lookup find_function, const time_range& time)
        : analysis(stacks, std::move(find_function), time, limits{}) {}

    /// Effects: adds the next events of the process, in the order of time.
    void add(std::span<const trace::event> events);
    /// Effects: closes the scopes that are still open.
    void finish();

    struct counts {
        std::uint64_t events = 0; ///< with a stack
        std::array<std::uint64_t, trace::stack_ends> by_end{};
        std::uint64_t foreign_frees = 0;
        std::uint64_t double_allocations = 0;
        std::uint64_t timed_events = 0;
        std::uint64_t interrupted_events =
            0; ///< timed events without a time: longer than any allocator takes
    };
    [[nodiscard]] const counts& counted() const noexcept { return counted_; }
    [[nodiscard]] const scope_tree& stacks() const noexcept { return *stacks_; }
    /// By function.
    [[nodiscard]] const std::vector<scope_totals>& scopes() const noexcept { return scopes_; }
    /// The process as one scope, open from the first event to the last.
    [[nodiscard]] const scope_totals& process_totals() const noexcept { return process_totals_[0]; }
    [[nodiscard]] const call_table& calls() const noexcept { return calls_; }
    [[nodiscard]] const pair_table& pairs() const noexcept { return pairs_; }
    [[nodiscard]] const marked_stacks& marked() const noexcept { return marked_; }
    [[nodiscard]] const live_timeline& timeline() const noexcept { return timeline_; }
    [[nodiscard]] const page_census& pages() const noexcept { return pages_; }
    [[nodiscard]] const lifetimes& lives() const noexcept { return lives_; }
    [[nodiscard]] const instances& all_instances() const noexcept { return instances_; }
    [[nodiscard]] const recorded_pools& pools() const noexcept { return pools_; }
    struct progress_count {
        std::uint64_t marks = 0;
        std::uint64_t first_ticks = 0, last_ticks = 0;
        std::uint64_t first_allocation = 0, last_allocation = 0; ///< earlier allocations of the process
    };
    /// By the number of the name.
    [[nodiscard]] const std::map<std::uint64_t, progress_count>& progress() const noexcept {
        return progress_;
    }
    struct control_count {
        std::uint64_t calls = 0;
        double ticks_inside = 0;
    };
    /// malloc_trim and the like, by the call and the function.
    [[nodiscard]] const std::map<std::pair<call_id, trace::record_kind>, control_count>&
    controls() const noexcept {
        return controls_;
    }
    struct resident_count {
        std::uint64_t blocks = 0;
        std::uint64_t bytes = 0;
        double resident_bytes = 0;
    };
    /// Of the large blocks whose resident pages were counted, by the call that allocated them.
    [[nodiscard]] const std::map<call_id, resident_count>& residents() const noexcept { return residents_; }
    [[nodiscard]] const time_range& range() const noexcept { return range_; }
    struct live_count {
        std::uint64_t blocks = 0;
        std::uint64_t bytes = 0;
    };
    /// The live blocks at the beginning of the part.
    [[nodiscard]] const live_count& live_at_begin() const noexcept { return live_at_begin_; }
    [[nodiscard]] live_count live_at_end() const noexcept { return {blocks_.size(), timeline_.live()}; }
    [[nodiscard]] std::size_t threads() const noexcept { return threads_.size(); }
    /// Ticks from the first to the last event of each thread, summed.
    [[nodiscard]] std::uint64_t thread_ticks() const noexcept;

private:
    struct thread_facts {
        bool is_known = false;
        bool skipped_stack = false; ///< an incomplete stack was skipped since the last complete one
        std::uint64_t first_ticks = 0;
        std::uint64_t last_ticks = 0;
        std::uint64_t reallocated = 0; ///< address
        std::uint64_t reallocated_bytes = 0;
        call_id reallocated_call = no_call;
        std::uint64_t last_allocation = no_event;
    };
    static constexpr std::uint64_t no_event = std::numeric_limits<std::uint64_t>::max();

    void add(const trace::event& event);
    [[nodiscard]] bool is_earlier(std::uint64_t ticks) const noexcept { return ticks < range_.begin_ticks; }
    void begin_part();
    void know_thread(std::uint32_t thread, std::uint64_t ticks);
    void follow(const trace::event& event, bool complete);
    void allocate(const trace::event& event, std::uint64_t bytes, bool complete);
    void free(const trace::event& event, bool complete);
    /// Effects: removes the block from the live ones.
    void end(const live_block& block, call_id freed, std::uint32_t thread);
    void time(const trace::event& event);
    /// Returns: the ticks of an operation; less than 0 for one that is shorter than a step of the counter.
    [[nodiscard]] double without_stamp(std::uint64_t ticks) const noexcept {
        return static_cast<double>(ticks) - range_.stamp_ticks;
    }
    /// Returns: true if the thread must have lost its processor during the operation.
    [[nodiscard]] bool was_interrupted(std::uint64_t ticks_inside) const noexcept;
    void mark_progress(std::uint64_t name);
    void count_resident(const trace::event& event);
    /// Effects: counts the pages of the blocks that the snapshot has read.
    void count_pages();

    const scope_tree* stacks_;
    time_range range_;
    bool has_begun_ = false; ///< the part
    live_count live_at_begin_;
    std::uint64_t number_ = 0; ///< of the current event
    std::uint64_t ticks_ = 0;  ///< of the current event, since the beginning of the process
    std::uint64_t clock_ = 0;  ///< bytes that were allocated
    std::uint64_t allocations_ = 0;
    std::uint64_t block_bytes_ = 0; ///< of the block of the current event

    counts counted_;
    block_table blocks_;
    call_table calls_;
    pair_table pairs_;
    std::vector<scope_totals> scopes_;
    std::vector<thread_facts> threads_;
    std::vector<thread_scopes> thread_stacks_;
    open_scopes process_scope_;
    std::vector<scope_totals> process_totals_;
    marked_stacks marked_;
    live_timeline timeline_;
    lifetimes lives_;
    instances instances_;
    recorded_pools pools_;
    std::map<std::uint64_t, progress_count> progress_;
    std::map<std::pair<call_id, trace::record_kind>, control_count> controls_;
    std::map<call_id, resident_count> residents_;
    recent_events recent_;
    heap_snapshot snapshot_;
    page_census pages_;
};

} // namespace mallard::advisor
