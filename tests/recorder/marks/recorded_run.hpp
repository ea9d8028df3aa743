/// Runs a program that is recorded, and reads what it left.
#pragma once

#include "recorder/marks/part_reader.hpp"

#include <string>
#include <vector>

namespace recorder_test {

struct recorded_run {
    std::string output; ///< what the program printed
    int status = -1;    ///< as of wait()
    std::vector<part> parts;
    std::vector<part> traced; ///< the same parts, by way of trace files, if that was asked for

    /// The only process.
    /// Throws: std::runtime_error if there are more, or none.
    [[nodiscard]] const part& only() const;
};

struct how_to_run {
    bool preload = true; ///< false for programs that have the recorder in them
    bool follow = false;
    bool trace = false; ///< read the parts by way of trace files, too
};

/// Throws: std::runtime_error if the program cannot be started.
recorded_run run_recorded(const std::vector<std::string>& command, how_to_run how = {});

} // namespace recorder_test
