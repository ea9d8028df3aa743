/// The marks of a trace, in the words in which the toys say what they do (toys/toy.hpp).
#pragma once

#include "recorder/marks/part_reader.hpp"

#include <string>
#include <vector>

namespace recorder_test {

/// Returns: a word for each mark, and for each block of 1,000 to 9,999 bytes if `with_blocks`.
std::string words_of(const part& from, const std::vector<part_event>& events, bool with_blocks = true);

/// Returns: the same words, without those of blocks.
std::string without_blocks(const std::string& words);

/// Returns: the events of that thread.
std::vector<part_event> of_thread(const part& from, std::uint64_t thread);

} // namespace recorder_test
