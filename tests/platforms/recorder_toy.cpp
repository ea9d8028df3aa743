// A program whose allocations and stacks are the same on every processor: test_recorder_on_aarch64.py counts them.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

namespace {

volatile int work = 0; // or the calls would be tail calls

} // namespace

extern "C" {

__attribute__((noinline)) void leaf(unsigned bytes) {
    void* block = std::malloc(bytes);
    asm volatile("" : "+r"(block) : : "memory");
    std::free(block);
    work = work + 1;
}

__attribute__((noinline)) void descend(unsigned depth) {
    volatile char room[40] = {};
    depth == 0 ? leaf(7) : descend(depth - 1);
    work = work + room[0];
}

__attribute__((noinline)) void with_a_frame_of_any_size(unsigned bytes) {
    auto* room = static_cast<char*>(__builtin_alloca(bytes));
    asm volatile("" : "+r"(room) : : "memory");
    leaf(bytes);
    work = work + 1;
}

__attribute__((noinline)) void objects(unsigned count) {
    for (unsigned number = 0; number < count; ++number) {
        auto object = std::make_unique<long>(number);
        auto* kept = object.get();
        asm volatile("" : "+r"(kept) : : "memory");
    }
    work = work + 1;
}
}

int main() {
    for (unsigned round = 0; round < 60; ++round) {
        descend(round % 20);
        with_a_frame_of_any_size(1 + round * 300);
        objects(round);
    }
    // The recorder interposes `syscall`.
    const bool succeeds = syscall(SYS_getpid) == getpid();
    const bool fails = syscall(SYS_close, -1) == -1 && errno == EBADF;
    return succeeds && fails ? 0 : 1;
}
