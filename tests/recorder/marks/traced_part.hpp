/// A part file by way of a trace file: what the project's own writer and reader make of it.
#pragma once

#include "recorder/marks/part_reader.hpp"

#include <filesystem>

namespace recorder_test {

/// Effects: writes a trace beside the file.
/// Throws: trace_error, std::runtime_error.
part read_by_trace(const std::filesystem::path& file);

} // namespace recorder_test
