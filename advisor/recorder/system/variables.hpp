/// The environment variables that configure a preloaded library.
#pragma once

namespace mallard::recorder {

/// Returns: the value of the variable; null if `entry` does not begin with `name`, which ends with '='.
char* value_of(char* entry, const char* name) noexcept;

/// Effects: removes from `environ` the variables whose names begin with `prefix`, and the first library of LD_PRELOAD,
/// where the launcher puts the preloaded one. The text is overwritten, so /proc/self/environ does not show it either.
/// Requires: no other thread reads `environ`.
void remove_variables(const char* prefix) noexcept;

} // namespace mallard::recorder
