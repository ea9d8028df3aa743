/// A part file read by way of a trace file, with the project's writer and reader.
#pragma once

#include "recorder/marks/part_reader.hpp"

#include <filesystem>

namespace recorder_test {

/// Effects: writes a trace next to the file.
/// Throws: trace_error, std::runtime_error.
part read_by_trace(const std::filesystem::path& file);

} // namespace recorder_test
