/// The settings that `mallard record` passes to the recorder, through the environment of the program.
#pragma once

#include "trace/part.hpp"

#include <cstdint>

namespace mallard::recorder {

struct environment {
    const char* folder = nullptr; ///< MALLARD_RECORD: folder of the part; null if nothing is recorded
    trace::stack_source stacks = trace::stack_source::descriptions; ///< MALLARD_RECORD_STACKS=none|fp
    std::uint32_t sample = 1; ///< MALLARD_RECORD_SAMPLE=N: one activation in N is recorded
    bool follow = false;      ///< MALLARD_RECORD_FOLLOW=1: forks and other programs are recorded too

    /// Returns: the settings. `folder` is the text of the variable itself.
    static environment read() noexcept;
};

} // namespace mallard::recorder
