/// Benchmark I: creating and destroying isolated basic data structures.
///
/// One iteration constructs the strategy's allocator and the structure, reserves, fills the structure with leaves,
/// and destroys both. All of it is timed. The number of iterations is `product` / leaves of one structure, at least
/// one.
///
/// Source: P0089R1, section 7; P0213R0, section 9.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"
#include "runner/strategy/table.hpp"

#include <span>

namespace bench {

inline constexpr unsigned least_size_log2 = 6;
inline constexpr unsigned largest_size_log2 = 16;
inline constexpr unsigned inner_leaves_log2 = 7; ///< of DS5..DS12 (P0089R1, section 7)

/// True for strategies that one thread can use and that serve every container.
[[nodiscard]] bool has_density(const strategy& s) noexcept;

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_density(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_density(json_writer& json);

/// The calls of one structure to the abstract base, from the measured functions.
struct dispatch_count {
    std::size_t allocations;
    std::size_t deallocations;
};
[[nodiscard]] dispatch_count count_dispatched(std::size_t structure, bool winked_out, unsigned size_log2);

} // namespace bench
