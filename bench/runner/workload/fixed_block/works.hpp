/// The works of the experiment fixed-block, with the strategies and the measuring function of each.
#pragma once

#include "runner/harness/row.hpp"
#include "runner/strategy/table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct fixed_block_cell {
    std::string work;
    std::string version; ///< empty if the work has no versions
    strategy subject;
    std::size_t count;
    std::uint64_t seed;
    bool look; ///< true if the requests of one operation are counted
};

/// Effects: runs the operation of the cell `count` times. Writes the time, the checksum of the results and, if
/// requested, the number of requests into `result`.
using measure_function = void (*)(const fixed_block_cell& cell, row& result);

struct fixed_block_work {
    std::string_view name;
    std::size_t default_count;
    strategy_filter offered;
    measure_function measure;
};

[[nodiscard]] bool has_objects(const strategy& s) noexcept;
[[nodiscard]] bool has_containers(const strategy& s) noexcept;
[[nodiscard]] bool has_strings(const strategy& s) noexcept;

void measure_new_delete(const fixed_block_cell& cell, row& result);
void measure_replace(const fixed_block_cell& cell, row& result);
void measure_list(const fixed_block_cell& cell, row& result);
void measure_map(const fixed_block_cell& cell, row& result);
void measure_remove_ctrl(const fixed_block_cell& cell, row& result);

/// Returns: the names of the versions of remove-ctrl, the printed one first.
[[nodiscard]] std::vector<std::string> remove_ctrl_versions();

/// True for a strategy that frees each block and reuses it, as the chapter's memory managers do.
[[nodiscard]] inline bool recycles(const strategy& s) noexcept {
    return s.frees_every_block() && s.can(capability::reuses);
}

/// Effects: calls `work` with a sixteenth of `count` as a warm-up, and then timed with `count`.
template <class Work>
void time_hot(std::size_t count, row& result, Work&& work) {
    work(count / 16 + 1);
    const stopwatch watch;
    work(count);
    result.timed = watch.elapsed();
    result.operations = result.iterations = static_cast<std::int64_t>(count);
}

} // namespace bench
