/// Names of functions, from the linker's to those that a page has room for.
#pragma once

#include <string>
#include <string_view>

namespace mallard::advisor {

/// Returns: the linker's name without the suffixes of clones and parts that lie apart (`.cold`, `.constprop.0`,
/// `.isra.0`, `.part.0`), and without a version (`@@GLIBC_2.34`).
std::string_view without_clone(std::string_view symbol) noexcept;

/// Returns: the name as it stands in C++; `symbol` itself if it is not mangled, or if the name has more than 16,384 letters.
/// Complexity: O(length of the symbol), and of the name up to that limit.
std::string demangled(std::string_view symbol);

/// Returns: the name without its list of parameters, its return type and its ABI tags, and without template arguments
/// that are the usual ones: `std::vector<int>::push_back`, `std::string::append`.
std::string short_form(std::string_view demangled_name);

} // namespace mallard::advisor
