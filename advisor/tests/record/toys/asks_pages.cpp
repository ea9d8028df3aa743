// asks_pages FILE: allocates on a fiber whose frames take several pages, and appends to FILE how often a preloaded library asked the
// kernel about a page.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#define OWN_FRAME __attribute__((noinline))

static long asked = 0;

extern "C" __attribute__((visibility("default"))) long syscall(long number, ...) noexcept {
    using function = long (*)(long, ...);
    static const auto next = reinterpret_cast<function>(dlsym(RTLD_NEXT, "syscall"));
    va_list arguments;
    va_start(arguments, number);
    long values[6];
    for (long& value : values) {
        value = va_arg(arguments, long);
    }
    va_end(arguments);
    asked += number == SYS_rt_sigprocmask ? 1 : 0;
    return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

static volatile int work = 0;

OWN_FRAME static void down(int levels) {
    volatile char room[2048];
    room[0] = 1;
    if (levels > 0) {
        down(levels - 1);
    } else {
        std::free(std::malloc(32));
    }
    work = work + room[0];
}

OWN_FRAME static void handle() {
    down(4);
    work = work + 1;
}

OWN_FRAME static void other() {
    down(4);
    work = work + 1;
}

static ucontext_t outside, fiber;
alignas(4096) static char fiber_stack[65536];

static void in_fiber() {
    for (int round = 0; round < 1000; ++round) {
        handle();
        other();
    }
}

int main(int, char** words) {
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = fiber_stack;
    fiber.uc_stack.ss_size = sizeof fiber_stack;
    fiber.uc_link = &outside;
    makecontext(&fiber, in_fiber, 0);
    swapcontext(&outside, &fiber);
    std::FILE* const file = std::fopen(words[1], "a");
    std::fprintf(file, "%ld\n", asked);
    std::fclose(file);
    return 0;
}
