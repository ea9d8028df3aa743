/// A number that the user sets in the environment, for the settings of checked allocators.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

/// Effects: if the variable holds anything but a decimal number of at most `most`, writes a line to the standard
/// error output.
/// Returns: the variable's number, or `default_value` if it is not set or not allowed.
[[nodiscard]] std::size_t environment_number(const char* variable, std::size_t default_value,
                                             std::size_t most) noexcept;

}} // namespace mallard::checking::MALLARD_LIBRARY
