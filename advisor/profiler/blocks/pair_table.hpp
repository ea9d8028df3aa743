/// Sums for each pair of a call that allocates and a call that frees, and the scope that contains the blocks.
///
/// Data model: the pairs in the order of their first blocks; open addressing finds them. Invariant: there are at most
/// `most_pairs`, and one more for each (call that allocates, scope). Beyond that, the call that frees is dropped.
#pragma once

#include "profiler/blocks/call_table.hpp"
#include "profiler/scopes/scope_totals.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mallard::advisor {

struct pair_totals {
    call_id allocated = 0;
    call_id freed = 0;             ///< no_call if it was dropped
    scope_id container = no_scope; ///< the innermost scope that contains the blocks
    bool elsewhere = false;        ///< freed by another thread
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    double life_ticks = 0;
    double life_clock = 0;
};

class pair_table {
public:
    static constexpr std::size_t default_most_pairs = std::size_t{2} << 20;

    explicit pair_table(std::size_t most_pairs = default_most_pairs) : most_(most_pairs) {}

    void add(call_id allocated, call_id freed, scope_id container, bool elsewhere, std::uint64_t bytes,
             double ticks, double clock);

    [[nodiscard]] std::span<const pair_totals> all() const noexcept { return pairs_; }

private:
    pair_totals& find_or_add(call_id allocated, call_id freed, scope_id container, bool elsewhere);
    void grow();

    std::size_t most_;
    std::vector<pair_totals> pairs_;
    std::vector<std::uint32_t> places_; ///< one more than the place in `pairs_`; 0 is empty
};

} // namespace mallard::advisor
