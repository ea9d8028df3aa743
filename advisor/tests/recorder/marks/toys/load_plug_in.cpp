#include "recorder/marks/toys/toy.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace toy {

void plug_in(const char* path) {
    for (int turn = 0; turn < 2; ++turn) {
        void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const auto run =
            library == nullptr ? nullptr : reinterpret_cast<void (*)(int)>(::dlsym(library, "run_plug_in"));
        if (run == nullptr) {
            std::fprintf(stderr, "%s\n", ::dlerror());
            std::exit(1);
        }
        say("+", "nested");
        say("!", "plugged");
        say("-", "nested");
        run(turn);
        ::dlclose(library);
    }
}

} // namespace toy
