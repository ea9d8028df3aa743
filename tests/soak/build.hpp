/// The build of the program, for the line that it ends with.
#pragma once

namespace soak {

struct build {
    const char* commit;
    const char* compiler;
    const char* flags;
    const char* sanitizers; ///< empty: none
};

extern const build this_build;

} // namespace soak
