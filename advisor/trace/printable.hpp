/// Makes text from programs and files fit for terminals and exports.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mallard::trace {

/// Returns: the text as valid UTF-8 on one line. Control characters, and those that change the direction of text, become
/// escapes such as `\x1b`; a byte that is not UTF-8 becomes U+FFFD.
std::string printable(std::string_view text);

/// Returns: the length in bytes of the character that the text begins with; 0 if it is not UTF-8.
/// Requires: the text is not empty.
std::size_t utf8_length(std::string_view text) noexcept;

} // namespace mallard::trace
