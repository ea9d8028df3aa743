/// Names of functions: linker symbols, demangled names, and short names for reports.
#pragma once

#include <string>
#include <string_view>

namespace mallard::advisor {

/// Returns: the linker's name without the suffixes of clones and separate parts (`.cold`, `.constprop.0`, `.isra.0`,
/// `.part.0`), and without a version (`@@GLIBC_2.34`).
std::string_view without_clone(std::string_view symbol) noexcept;

/// Returns: the C++ name; `symbol` itself if it is not mangled, or if the name has more than 16,384 letters.
/// Complexity: O(length of the symbol), and of the name up to that limit.
std::string demangled(std::string_view symbol);

/// Returns: the name without parameters, return type, ABI tags and default template arguments:
/// `std::vector<int>::push_back`, `std::string::append`.
std::string short_form(std::string_view demangled_name);

// Classifies functions that are called from everywhere, by their names.

/// Returns: true if a function with that short name allocates or frees for its caller.
bool names_allocator_layer(std::string_view short_name) noexcept;

/// Returns: true if a function with that short name belongs to the C++ standard library.
bool names_standard_library(std::string_view short_name) noexcept;

} // namespace mallard::advisor
