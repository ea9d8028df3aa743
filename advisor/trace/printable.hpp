/// Makes text from programs and files fit for terminals and exports.
#pragma once

#include <string>
#include <string_view>

namespace mallard::trace {

/// Returns: the text as valid UTF-8 on one line. Control characters, and those that change the direction of text, become
/// escapes such as `\x1b`; a byte that is not UTF-8 becomes U+FFFD.
std::string printable(std::string_view text);

/// Returns: the text as a string of JSON, with its quotes. The text must be printable.
std::string json_string(std::string_view printable_text);

} // namespace mallard::trace
