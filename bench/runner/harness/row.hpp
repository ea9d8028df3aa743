/// The result of one cell, as one line of JSON (bench/results/README.md).
#pragma once

#include "runner/harness/json.hpp"
#include "runner/harness/stopwatch.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline constexpr int row_format = 1;

/// The options of all experiments.
struct run_options {
    std::string strategy;
    std::int64_t seed = 1;
    std::int64_t repetition = 0;
    std::optional<int> pinned_cpu;
    std::vector<std::string> notes;
};

struct row {
    std::string experiment;
    std::function<void(json_writer&)> write_parameters; ///< the members of the object "parameters"
    cost timed;
    std::int64_t operations = 0;
    std::int64_t iterations = 0;
    std::string checksum;                      ///< empty if this repetition computed none
    std::optional<std::int64_t> allocations;   ///< of one structure
    std::optional<std::int64_t> deallocations; ///< of one structure
    std::int64_t spills = 0;
    bool out_of_memory = false;
    std::vector<std::pair<std::string, double>> figures; ///< further quantities; the unit is in the name

    void add_figure(std::string name, double value) { figures.emplace_back(std::move(name), value); }
};

/// Returns: the line, without its end.
[[nodiscard]] std::string to_json(const row& result, const run_options& options);

/// Returns: the sixteen hexadecimal digits of a checksum.
[[nodiscard]] std::string to_hexadecimal(std::uint64_t n);

} // namespace bench
