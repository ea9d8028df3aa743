/// The layout of the heap at one moment: how far blocks of each open scope lie among foreign ones.
///
///     addresses   a a b a . b b a     scope a: 4 blocks, 3 neighbours, 2 of them foreign
///
/// A scope's own blocks are those that its thread allocated since its activation began. As scopes are nested, a block belongs to
/// a number of outermost groups of scopes of its thread, and all sums are taken by that number.
#pragma once

#include "profiler/analysis/page_census.hpp"
#include "profiler/blocks/block_table.hpp"
#include "profiler/scopes/scope_totals.hpp"
#include "profiler/scopes/thread_scopes.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace mallard::advisor {

class heap_snapshot {
public:
    /// Returns: true if a snapshot is due after `events`. The interval is at least 4,096 events, a sixty-fourth of
    /// all events, and twice the number of live blocks, so that snapshots take a small part of the time.
    [[nodiscard]] bool is_due(std::uint64_t events) const noexcept { return events >= next_; }

    /// Effects: adds the figures of the snapshot to the totals of each open scope with at least two own blocks.
    void take(std::uint64_t events, const block_table& blocks, const std::vector<thread_scopes>& threads,
              std::vector<scope_totals>& totals);
    /// Effects: reads the live blocks, without adding figures.
    void read(const block_table& blocks, const std::vector<thread_scopes>& threads);
    /// Returns: the live blocks of the last snapshot, by address.
    [[nodiscard]] std::span<const placed_block> blocks() const noexcept { return blocks_; }

private:
    /// Sums by number of groups: element n counts for the n outermost ones. They may be negative.
    struct thread_sums {
        std::vector<std::int64_t> blocks, bytes, neighbours, foreign, pages;
        std::uint64_t last_page = 0;
        std::uint32_t groups_of_last_page = 0;
        std::uint32_t groups_above = 0; ///< groups that have a block at a higher address
    };

    void collect(const block_table& blocks, const std::vector<thread_scopes>& threads);
    void sort();
    void count_neighbours();
    void count_pages();

    std::uint64_t next_ = first_snapshot;
    std::vector<placed_block> blocks_; ///< by address
    std::vector<placed_block> sorted_; ///< room for sorting
    std::vector<thread_sums> sums_;

    static constexpr std::uint64_t first_snapshot = 4096;
};

} // namespace mallard::advisor
