// A helper allocates inside and outside of the scope `handle`, so that its return address alone decides nothing: also
// on fibers, in threads and children, on deep stacks, after a longjmp, and where a frame has no fixed size.
#include <alloca.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#define OWN_FRAME __attribute__((noinline))

static volatile int work = 0;

OWN_FRAME static void helper(int bytes) {
    volatile char* const room = static_cast<char*>(alloca(static_cast<std::size_t>(bytes)));
    room[0] = 1;
    std::free(std::malloc(static_cast<std::size_t>(bytes)));
    work = work + 1;
}

OWN_FRAME static void handle(int count) {
    for (int index = 0; index < count; ++index) {
        helper(16 + index % 7 * 16);
    }
    work = work + 1;
}

OWN_FRAME static void other(int count) {
    for (int index = 0; index < count; ++index) {
        helper(16 + index % 5 * 32);
    }
    work = work + 1;
}

OWN_FRAME static void deep(int depth) {
    if (depth > 0) {
        deep(depth - 1);
    } else {
        handle(100);
    }
    work = work + 1;
}

static ucontext_t outside, fiber;
alignas(64) static char fiber_stack[32768];

static void in_fiber() {
    handle(50);
    swapcontext(&fiber, &outside);
    other(50);
}

static std::jmp_buf place;

OWN_FRAME static void leave() {
    handle(1);
    std::longjmp(place, 1);
}

int main() {
    for (int round = 0; round < 20; ++round) {
        handle(100);
        other(100);
        deep(500);
        std::thread([] {
            handle(20);
            other(20);
        }).join();
        getcontext(&fiber);
        fiber.uc_stack.ss_sp = fiber_stack;
        fiber.uc_stack.ss_size = sizeof fiber_stack;
        fiber.uc_link = &outside;
        makecontext(&fiber, in_fiber, 0);
        swapcontext(&outside, &fiber);
        other(10);
        swapcontext(&outside, &fiber);
        if (setjmp(place) == 0) {
            leave();
        }
        other(10);
        const pid_t child = fork();
        if (child == 0) {
            handle(100);
            other(100);
            _exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        if (status != 0) {
            return 1;
        }
    }
    std::printf("%d\n", static_cast<int>(work));
    return 0;
}
