// Two libraries are compiled from this file. Their functions have equal names and different frames.

#include <cstdlib>
#include <string>

namespace {

volatile std::size_t work = 0;

__attribute__((noinline)) void inner(int depth) {
    const std::string text(static_cast<std::size_t>(PLUG_IN * 70 + depth), 'x');
    if (depth > 0) {
        inner(depth - 1);
    }
    work = work + text.size();
}

} // namespace

extern "C" void go(int depth);

extern "C" __attribute__((visibility("default"))) void go(int depth) {
    auto* const room =
        static_cast<char*>(__builtin_alloca(static_cast<std::size_t>(depth * 16 * PLUG_IN + 16)));
    room[0] = 1;
    asm volatile("" : : "r"(room) : "memory");
    inner(depth);
#if PLUG_IN == 2
    std::free(std::malloc(70));
#endif
    inner(depth / 2);
    work = work + 1;
}
