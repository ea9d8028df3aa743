/// The pages on which the live blocks of each scope lie, which shows diffusion without a trial.
///
///     page      0          1          2            blocks a of scope a, b of scope b
///     blocks  [a a b . ] [. . b b] [a . . .]       a: on 2 pages, of which 1 is shared; 3 blocks would fit on 1
///
/// A block belongs to all functions on the stack that allocated it, also after they have returned. A census reads the live blocks
/// in the order of their addresses, at moments that the analysis chooses.
///
/// Data model: for each function the figures of the census in which its live bytes were highest, and for some tens of censuses
/// those of all functions. If they take too much memory, each second census is dropped.
#pragma once

#include "profiler/blocks/call_table.hpp"
#include "profiler/scopes/scope_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mallard::advisor {

/// A live block, as snapshots of the heap sort them by address.
struct placed_block {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t thread = 0;
    std::uint32_t groups = 0; ///< outermost groups of open scopes that it belongs to
    call_id call = 0;
};

inline constexpr unsigned page_shift = 12;

/// The figures of a scope in one census.
struct page_figures {
    std::uint64_t ticks = 0;  ///< since the beginning of the process
    std::uint64_t bytes = 0;  ///< live
    std::uint64_t pages = 0;  ///< that hold its live blocks
    std::uint64_t shared = 0; ///< of these, pages with blocks of others

    [[nodiscard]] std::uint64_t needed() const noexcept {
        return (bytes >> page_shift) + static_cast<std::uint64_t>((bytes & ((1U << page_shift) - 1)) != 0);
    }
};

class page_census {
public:
    static constexpr std::size_t most_censuses = 64;
    static constexpr std::size_t most_rows = std::size_t{1} << 20; ///< of all censuses

    /// Returns: true if the live bytes of the process were clearly higher than in any census, and begin to fall below their peak.
    /// A census before that has the figures of a moment near the peak.
    [[nodiscard]] bool is_due_at_peak(std::uint64_t live_bytes, std::uint64_t bytes_to_free,
                                      std::uint64_t peak_bytes) const noexcept {
        return live_bytes > most_live_ + most_live_ / 8 &&
               live_bytes - bytes_to_free < peak_bytes - peak_bytes / 64;
    }
    /// Returns: true if the last census was long enough ago for its cost.
    [[nodiscard]] bool is_due(std::uint64_t events, std::size_t live_blocks) const noexcept {
        return events - last_events_ >= 8 * std::max<std::uint64_t>(live_blocks, visits_);
    }

    /// Effects: takes a census of `blocks`.
    /// Requires: `blocks` are sorted by address.
    /// Complexity: O(blocks + pages with several stacks * functions on these).
    void take(std::uint64_t events, std::uint64_t ticks, std::uint64_t live_bytes,
              std::span<const placed_block> blocks, const call_table& calls, const scope_tree& stacks);

    /// Returns: the figures of the census in which the live bytes of the function were highest; without pages if it had none.
    [[nodiscard]] page_figures at_peak(scope_id function) const noexcept {
        return function < peaks_.size() ? peaks_[function] : page_figures{};
    }
    /// Returns: the figures of the function over time, without those of censuses in which it had no block.
    [[nodiscard]] std::vector<page_figures> over_time(scope_id function) const;

private:
    struct scope_sums {
        std::uint64_t bytes = 0, pages = 0, shared = 0;
        std::uint64_t page_serial = 0; ///< of the page that is being read
        std::uint32_t blocks_on_page = 0;
        bool is_counted = false; ///< in `counted_`
    };
    struct call_sums {
        std::uint64_t bytes = 0;
        std::uint64_t page_serial = 0;
        std::uint32_t blocks_on_page = 0;
    };
    struct row {
        scope_id function = 0;
        page_figures figures;
    };

    template <class Visit>
    void visit_scopes(call_id call, const call_table& calls, const scope_tree& stacks, Visit visit);
    void add_to_page(const placed_block& block);
    void end_page(const call_table& calls, const scope_tree& stacks);
    void count(scope_id function);
    void keep(std::uint64_t ticks);
    void drop_each_second();

    std::uint64_t most_live_ = 0; ///< bytes of the process in a census
    std::uint64_t last_events_ = 0;
    std::uint64_t visits_ = 0; ///< of functions, in the last census
    std::uint64_t serial_ = 0; ///< of pages, over all censuses
    std::uint64_t taken_ = 0;
    std::uint64_t interval_ = 1; ///< of the censuses that are kept

    std::uint32_t blocks_on_page_ = 0;
    std::vector<call_id> calls_on_page_;
    std::vector<scope_id> scopes_on_page_;
    std::vector<call_id> used_calls_;
    std::vector<scope_id> counted_;
    std::vector<call_sums> calls_;
    std::vector<scope_sums> scopes_;
    std::vector<page_figures> peaks_;
    std::vector<std::vector<row>> kept_; ///< each sorted by function
};

} // namespace mallard::advisor
