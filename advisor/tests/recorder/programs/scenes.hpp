/// The common functions of the scenes, and the scenes in other files.
#pragma once

#include <cstddef>
#include <cstdlib>

#define OWN_FRAME __attribute__((noinline))

namespace scenes {

// Work after each call keeps the compiler from turning it into a tail call.
inline volatile int work = 0;

inline unsigned draw(unsigned below) {
    thread_local unsigned state = 12345;
    state = state * 1103515245 + 12345;
    return (state >> 8) % below;
}

OWN_FRAME inline void allocate(int bytes) {
    void* const block = std::malloc(static_cast<std::size_t>(bytes % 100 + 1));
    asm volatile("" : : "r"(block) : "memory");
    std::free(block);
    work = work + 1;
}

// deep_scenes.cpp

/// Effects: calls `act` at the bottom of a recursion of `depth` levels.
void at_the_bottom(int depth, void (*act)());

void deep();
void two_callers(int rounds);
void changing_middles();
void too_deep();
void aligned_frames();

} // namespace scenes
