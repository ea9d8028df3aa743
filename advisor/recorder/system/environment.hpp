/// The environment variables that configure a preloaded library.
#pragma once

#include "trace/part.hpp"

#include <cstdint>

namespace mallard::recorder {

/// The settings that `mallard record` passes to the recorder.
struct environment {
    const char* folder = nullptr; ///< MALLARD_RECORD: folder of the part; null if nothing is recorded
    trace::stack_source stacks = trace::stack_source::descriptions; ///< MALLARD_RECORD_STACKS=none|fp
    std::uint32_t sample = 1; ///< MALLARD_RECORD_SAMPLE=N: one activation in N is recorded
    bool follow = false;      ///< MALLARD_RECORD_FOLLOW=1: forks and other programs are recorded too

    /// Returns: the settings. `folder` is the text of the variable itself.
    static environment read() noexcept;
};

/// Returns: the value of the variable; null if `entry` does not begin with `name`, which ends with '='.
char* value_of(char* entry, const char* name) noexcept;

/// Effects: removes from `environ` the variables whose names begin with `prefix`, and the first library of LD_PRELOAD,
/// where the launcher puts the preloaded one. The text is overwritten, so /proc/self/environ does not show it either.
/// Requires: no other thread reads `environ`.
void remove_variables(const char* prefix) noexcept;

} // namespace mallard::recorder
