// A library with hidden symbols and a private copy of the header, with a scope of the same name as the program.
#include <mallard/record/scope.hpp>

#include <cstdlib>

extern "C" __attribute__((visibility("default"))) void run_plug_in(int turn);

void run_plug_in(int turn) {
    MALLARD_SCOPE("nested");
    std::free(std::malloc(static_cast<std::size_t>(9000 + turn)));
    MALLARD_PROGRESS("plugged");
}
