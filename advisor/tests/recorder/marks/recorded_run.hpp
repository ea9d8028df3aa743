/// Runs a program that is recorded, and reads its parts.
#pragma once

#include "recorder/marks/part_reader.hpp"

#include <string>
#include <vector>

namespace recorder_test {

struct recorded_run {
    std::string output; ///< output of the program
    int status = -1;    ///< in the format of wait()
    std::vector<part> parts;
    std::vector<part> traced; ///< the same parts, by way of trace files, if requested

    /// The only process.
    /// Throws: std::runtime_error if there is not exactly one.
    [[nodiscard]] const part& only() const;
};

struct run_options {
    bool preload = true; ///< false for programs linked with the recorder
    bool follow = false;
    bool idle = false;  ///< the recording does not begin
    bool trace = false; ///< also read the parts by way of trace files
};

/// Throws: std::runtime_error if the program cannot be started.
recorded_run run_recorded(const std::vector<std::string>& command, run_options options = {});

} // namespace recorder_test
