/// Makes text from files fit for exports.
#pragma once

#include <string>
#include <string_view>

namespace mallard::advisor {

/// Returns: the text as valid UTF-8 on one line. A control character becomes a space; a byte that is not UTF-8 becomes
/// U+FFFD.
std::string printable(std::string_view text);

/// Returns: the text as a string of JSON, with its quotes. The text must be printable.
std::string json_string(std::string_view printable_text);

} // namespace mallard::advisor
