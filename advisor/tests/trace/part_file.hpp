/// The part file of a recorded process, as input of a writer.
#pragma once

#include "trace/part.hpp"
#include "trace/writer.hpp"

#include <filesystem>
#include <functional>
#include <span>

namespace mallard::test {

/// Effects: calls `use` with the records of each chunk, in the order in which they were taken.
/// Throws: std::runtime_error if the file is not a part file.
trace::process read_part(const std::filesystem::path& file,
                         const std::function<void(std::span<const std::byte>)>& use);

/// Effects: adds the entire recording to the trace.
void add_part(const std::filesystem::path& file, trace::writer& to);

} // namespace mallard::test
