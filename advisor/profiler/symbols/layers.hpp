/// Classifies functions that are called from everywhere, by their names.
#pragma once

#include <string_view>

namespace mallard::advisor {

/// Returns: true if a function with that short name allocates or frees for its caller.
bool names_allocator_layer(std::string_view short_name) noexcept;

/// Returns: true if a function with that short name belongs to the C++ standard library.
bool names_standard_library(std::string_view short_name) noexcept;

} // namespace mallard::advisor
