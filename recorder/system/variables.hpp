/// The environment variables that configure a preloaded library.
#pragma once

namespace mallard::recorder {

/// Returns: the value of the variable; null if `entry` does not begin with `name`, which ends in '='.
char* value_of(char* entry, const char* name) noexcept;

/// Effects: removes from `environ` the variables whose names begin with `prefix`, and the first library from LD_PRELOAD, which
/// is where the launcher puts the preloaded one. Their text is overwritten, so /proc/self/environ does not have it either.
/// Requires: no other thread reads `environ`.
void remove_variables(const char* prefix) noexcept;

} // namespace mallard::recorder
