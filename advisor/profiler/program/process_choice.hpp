/// Chooses the process of a trace that a profile describes.
#pragma once

#include "trace/reader.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mallard::advisor {

/// Returns: the indices of the processes with events whose CPU time is within a tenth, or 10 ms, of the most: all of them if no
/// CPU time is known.
std::vector<std::size_t> busiest_processes(std::span<const trace::process> processes);

/// Returns: the index of the process that allocates most often, of the busiest ones, or of those with the wanted number or name:
/// that of the executable or of the program in the command, without folders. Of equals, the first.
/// Requires: the trace has a process.
/// Throws: usage_error if no process matches.
std::size_t choose_process(trace::reader& reader, const std::optional<std::string>& wanted);

} // namespace mallard::advisor
