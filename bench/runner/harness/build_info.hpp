/// How this program was built. The build writes the definition.
#pragma once

namespace bench {

struct build_info {
    const char* version;
    const char* commit;
    const char* compiler;
    const char* flags;
    const char* sanitizers;
};

extern const build_info this_build;

} // namespace bench
