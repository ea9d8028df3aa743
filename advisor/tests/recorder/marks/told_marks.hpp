/// The marks of a trace, in the format that the toys print (toys/toy.hpp).
#pragma once

#include "recorder/marks/part_reader.hpp"

#include <string>
#include <vector>

namespace recorder_test {

/// Returns: a word for each mark, and for each block of 1,000 to 9,999 bytes if `with_blocks`.
std::string format_marks(const part& from, const std::vector<part_event>& events, bool with_blocks = true);

/// Returns: the words without those of blocks.
std::string without_blocks(const std::string& words);

/// Returns: the events of that thread.
std::vector<part_event> thread_events(const part& from, std::uint64_t thread);

} // namespace recorder_test
