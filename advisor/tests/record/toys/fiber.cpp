// A fiber whose stack is a part of an array, and which checks the rest of the array for ever; a thread allocates, and prints the
// number of checks every 10 ms.
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr unsigned char pattern = 0xa5;
constexpr std::size_t array_bytes = std::size_t{1} << 20;
constexpr std::size_t stack_begin = array_bytes / 2;
constexpr std::size_t stack_bytes = 2048;
alignas(64) std::array<unsigned char, array_bytes> memory{};
std::atomic<unsigned long> checks{0};

void check() {
    for (;;) {
        for (std::size_t index = 0; index < array_bytes; ++index) {
            const bool is_stack = stack_begin <= index && index < stack_begin + stack_bytes;
            if (!is_stack && memory[index] != pattern) {
                ::_exit(1);
            }
        }
        ++checks;
    }
}

} // namespace

int main() {
    std::ranges::fill(memory, pattern);
    std::thread([] {
        for (;;) {
            std::free(std::malloc(100));
            ::usleep(10'000);
            std::printf("%lu\n", checks.load());
            std::fflush(stdout);
        }
    }).detach();
    static ucontext_t outside;
    static ucontext_t fiber;
    ::getcontext(&fiber);
    fiber.uc_stack.ss_sp = memory.data() + stack_begin;
    fiber.uc_stack.ss_size = stack_bytes;
    ::makecontext(&fiber, check, 0);
    ::swapcontext(&outside, &fiber);
}
