// Fibers whose stacks follow one another at the same addresses, larger and smaller ones. Each ends in an address whose
// description leads out of the stack, as in the fibers of some libraries.

#include "own_stack.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

asm(".text\n"
    ".type no_return, @function\n"
    "no_return:\n"
    ".cfi_startproc\n" FRAME_OF(272) "nop\n"
                                     "end_of_stack:\n" TRAP ".cfi_endproc\n"
                                     ".size no_return, . - no_return\n");
extern "C" const char end_of_stack;

namespace {

void* main_stack = nullptr;
void* short_lived_stack = nullptr;
int short_lived_depth = 0;

void allocate() {
    void* const block = std::malloc(10);
    asm volatile("" : : "r"(block) : "memory");
    std::free(block);
}

// Frames of equal size, a power of two: their slots are equal in stacks of any number of pages.
[[gnu::noinline]] void in_short_lived_stack(int depth) {
    alignas(64) volatile char room[128];
    room[0] = 1;
    allocate();
    if (depth > 0) {
        in_short_lived_stack(depth - 1);
    }
    room[1] = room[0]; // or the call would be a tail call
}

[[noreturn, gnu::noinline]] void run_short_lived_stack() {
    for (;;) {
        in_short_lived_stack(short_lived_depth);
        switch_stacks(&short_lived_stack, main_stack);
    }
}

/// The stacks are mapped without a call that could be intercepted, and no event comes between two of them.
char* map_fixed(char* at, std::size_t bytes, int protection) {
    const long mapped = syscall(SYS_mmap, at, bytes, protection,
                                MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED), -1, 0);
    return reinterpret_cast<char*>(mapped);
}

} // namespace

int main() {
    allocate(); // the first event is compared with libgcc's walk
    constexpr std::size_t room = 1U << 20;
    char* const base = map_fixed(nullptr, room, PROT_NONE);
    for (int round = 0; round < 60; ++round) {
        const std::size_t bytes = std::size_t{round % 3 == 0 ? 128U : round % 3 == 1 ? 48U : 16U} << 10;
        short_lived_depth = round % 3 == 0 ? 200 : round % 3 == 1 ? 40 : 2;
        map_fixed(base, bytes, PROT_READ | PROT_WRITE);
        auto* const top = reinterpret_cast<const void**>(base + bytes);
        short_lived_stack = new_stack(top, run_short_lived_stack, &end_of_stack);
        switch_stacks(&main_stack, short_lived_stack);
        map_fixed(base, room, PROT_NONE);
    }
}
