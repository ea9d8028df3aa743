/// Chooses the process of a trace that a profile describes.
#pragma once

#include "trace/reader.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace mallard::advisor {

/// Returns: the index of the process that allocates most often, of those with this number or with this name: that of the
/// executable or of the program in the command, without folders. Of equals, the first.
/// Requires: the trace has a process.
/// Throws: usage_error if no process matches.
std::size_t choose_process(trace::reader& reader, const std::optional<std::string>& wanted);

} // namespace mallard::advisor
