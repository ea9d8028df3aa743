// For programs and libraries that run on other machines: a function of glibc 2.36 that the static libstdc++ of such a system
// refers to. With the reference, an older glibc would not load them. The definition is hidden, so the program that loads a
// library keeps its own.
#include <unistd.h>

// For std::random_device.
extern "C" __attribute__((visibility("hidden"))) unsigned arc4random() noexcept {
    unsigned number = 0;
    return ::getentropy(&number, sizeof number) == 0 ? number : 0;
}
