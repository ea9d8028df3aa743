// A program whose stacks are hard to unwind: one scene for each argument, and each scene calls malloc and free all the time.
#include "scenes.hpp"

#include "own_stack.hpp"

#include <alloca.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <iconv.h>
#include <link.h>
#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace scenes;

// ---- one function from two sites, frames of any size ----

OWN_FRAME void first_way(int depth);
OWN_FRAME void second_way(int depth);

void first_way(int depth) {
    if (depth <= 0) {
        allocate(3);
        work = work + 1;
        return;
    }
    const std::size_t bytes = draw(200) + 1;
    auto* const room = static_cast<char*>(alloca(bytes));
    std::memset(room, 1, bytes);
    asm volatile("" : : "r"(room) : "memory");
    if (draw(2) == 0) {
        first_way(depth - 1 - static_cast<int>(draw(3)));
    } else {
        second_way(depth - 1);
    }
    work = work + 1;
}

void second_way(int depth) {
    if (depth <= 0) {
        allocate(7);
        work = work + 1;
        return;
    }
    first_way(depth - 1);
    work = work + 1;
    if (draw(4) == 0) {
        second_way(depth - 2);
    }
    work = work + 1;
    first_way(depth - 3);
    work = work + 1;
}

void two_sites() {
    for (int round = 0; round < 300; ++round) {
        first_way(round % 12);
        second_way(round % 10);
    }
}

// ---- exceptions and long jumps through recorded frames ----

OWN_FRAME void throws(int depth) {
    const std::string text(50, 'x');
    if (depth == 0) {
        throw std::runtime_error(text);
    }
    throws(depth - 1);
    work = work + 1;
}

void exceptions() {
    for (int round = 0; round < 300; ++round) {
        try {
            throws(round % 20);
        } catch (const std::runtime_error&) {
            allocate(round);
        }
    }
}

std::jmp_buf landing;

OWN_FRAME void jumps(int depth) {
    allocate(depth);
    if (depth < 0) {
        return;
    }
    if (depth == 0) {
        std::longjmp(landing, 1);
    }
    jumps(depth - 1);
    work = work + 1;
}

void long_jumps() {
    static int round = 0; // a local variable may be lost in the jump
    for (round = 0; round < 300; ++round) {
        if (setjmp(landing) == 0) {
            jumps(round % 30);
        }
        allocate(round);
    }
}

// ---- stacks created by the program ----

struct fiber {
    ucontext_t context{};
    std::array<char, 65'536> stack{};
    int steps = 0;
};

ucontext_t scheduler;
fiber* running = nullptr;

OWN_FRAME void run_fiber() {
    fiber& current = *running;
    for (int step = 0; step < current.steps; ++step) {
        first_way(step % 8);
        swapcontext(&current.context, &scheduler);
    }
}

void fibers() {
    std::vector<std::unique_ptr<fiber>> all_fibers;
    for (int number = 0; number < 20; ++number) {
        all_fibers.push_back(std::make_unique<fiber>());
        fiber& added = *all_fibers.back();
        added.steps = 20 + number;
        getcontext(&added.context);
        added.context.uc_stack.ss_sp = added.stack.data();
        added.context.uc_stack.ss_size = added.stack.size();
        added.context.uc_link = &scheduler;
        makecontext(&added.context, &run_fiber, 0);
    }
    for (int step = 0; step < 40; ++step) {
        for (const auto& entry : all_fibers) {
            if (step < entry->steps) {
                running = entry.get();
                swapcontext(&scheduler, &entry->context);
                allocate(step);
            }
        }
    }
}

// ---- stacks created by the program, without libc ----

// No call returns to `behind_fiber`, which has no description, or to `described_fiber`, which begins at the end of another
// function.
asm(".text\n"
    "behind_fiber:\n" TRAP ".cfi_startproc\n" FRAME_OF(16) "nop\n"
                                                           "nop\n"
                                                           "nop\n"
                                                           "nop\n"
                                                           "nop\n"
                                                           "nop\n"
                                                           "nop\n"
                                                           "nop\n"
                                                           ".cfi_endproc\n"
                                                           "described_fiber:\n"
                                                           ".cfi_startproc\n" TRAP ".cfi_endproc\n");
extern "C" const char behind_fiber;
extern "C" const char described_fiber;

void* own_fiber = nullptr;
void* own_scheduler = nullptr;

OWN_FRAME void run_own_fiber() {
    for (int round = 0; round < 100; ++round) {
        first_way(round % 4);
        switch_stacks(&own_fiber, own_scheduler);
    }
}

void own_fibers() {
    for (const void* outside : {static_cast<const void*>(nullptr), static_cast<const void*>(&behind_fiber),
                                static_cast<const void*>(&described_fiber)}) {
        alignas(16) static std::array<const void*, 8192> room{};
        const void** const top = room.data() + room.size() - 8;
        own_fiber = new_stack(top, run_own_fiber, outside);
        for (int round = 0; round < 100; ++round) {
            switch_stacks(&own_scheduler, own_fiber);
            allocate(round);
        }
    }
}

// ---- signals ----

std::atomic<int> signals_seen{0};
std::atomic<bool> at_any_time{true};

struct code_range {
    std::uintptr_t begin = 0, end = 0;
};
code_range c_library;

int find_c_library(dl_phdr_info* info, std::size_t, void*) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(&gnu_get_libc_version);
    for (int index = 0; index < info->dlpi_phnum; ++index) {
        const std::uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[index].p_vaddr;
        const std::uintptr_t end = begin + info->dlpi_phdr[index].p_memsz;
        if (info->dlpi_phdr[index].p_type == PT_LOAD && begin <= wanted && wanted < end) {
            c_library = {begin, end};
            return 1;
        }
    }
    return 0;
}

/// Returns: true if the signal may have interrupted glibc's malloc, which a handler must not call again.
bool interrupts_c_library(const void* context) {
    const mcontext_t& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto place = static_cast<std::uintptr_t>(registers.gregs[REG_RIP]);
#else
    const auto place = static_cast<std::uintptr_t>(registers.pc);
#endif
    return c_library.begin <= place && place < c_library.end;
}

void on_signal(int, siginfo_t*, void* context) {
    if (at_any_time && interrupts_c_library(context)) {
        return;
    }
    const std::string text(100, 'q');
    allocate(++signals_seen);
    work = work + static_cast<int>(text.size());
}

void signals() {
    dl_iterate_phdr(&find_c_library, nullptr);
    static std::array<char, 65'536> handler_stack;
    stack_t alternate{};
    alternate.ss_sp = handler_stack.data();
    alternate.ss_size = handler_stack.size();
    sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_sigaction = &on_signal;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, nullptr);
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    std::atomic<bool> enough{false};
    const pthread_t receiver = pthread_self();
    std::thread sender([&] {
        for (int count = 0; !enough; ++count) {
            pthread_kill(receiver, count % 2 == 0 ? SIGUSR1 : SIGUSR2);
            usleep(50);
        }
    });
    while (signals_seen < 200) {
        first_way(8);
    }
    enough = true;
    sender.join();
    at_any_time = false;
    at_the_bottom(2000, [] {
        std::raise(SIGUSR1);
        std::raise(SIGUSR2);
    });
}

// ---- code that is loaded and unloaded at the same addresses ----

void plug_ins(char* const* files) {
    for (int round = 0; round < 100; ++round) {
        void* const library = dlopen(files[round % 2], RTLD_NOW);
        if (library == nullptr) {
            std::puts(dlerror());
            std::exit(1);
        }
        const auto go = reinterpret_cast<void (*)(int)>(dlsym(library, "go"));
        for (int depth = 0; depth < 10; ++depth) {
            go(depth);
        }
        dlclose(library);
        allocate(round);
        // libc loads and unloads its own modules here, without a call of dlclose that a library could intercept.
        const iconv_t conversion = iconv_open("UTF-8", round % 2 == 0 ? "KOI8-R" : "SHIFT-JIS");
        if (conversion != reinterpret_cast<iconv_t>(-1)) {
            iconv_close(conversion);
        }
    }
}

void same_places(char* const* files) {
    for (int round = 0; round < 400; ++round) {
        void* const library = dlopen(files[round % 2], RTLD_NOW);
        if (library == nullptr) {
            std::puts(dlerror());
            std::exit(1);
        }
        const auto go = reinterpret_cast<void (*)()>(dlsym(library, "go"));
        for (int call = 0; call < 50; ++call) {
            go();
        }
        dlclose(library);
    }
}

void forks() {
    for (int count = 0; count < 20; ++count) {
        const pid_t child = fork();
        if (child == 0) {
            first_way(9);
            count % 2 == 0 ? std::exit(0) : _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) {
            std::exit(1);
        }
    }
}

template <typename Scene>
void in_threads(Scene scene) {
    std::vector<std::thread> threads;
    for (int count = 0; count < 4; ++count) {
        threads.emplace_back(scene);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

} // namespace

int main(int count, char* arguments[]) {
    const std::string scene = count > 1 ? arguments[1] : "";
    if (scene == "two_sites") {
        two_sites();
    } else if (scene == "exceptions") {
        exceptions();
    } else if (scene == "long_jumps") {
        long_jumps();
    } else if (scene == "fibers") {
        fibers();
    } else if (scene == "own_fibers") {
        own_fibers();
    } else if (scene == "changing_middles") {
        changing_middles();
    } else if (scene == "too_deep") {
        too_deep();
    } else if (scene == "aligned") {
        aligned_frames();
    } else if (scene == "deep") {
        deep();
    } else if (scene == "two_callers" && count == 3) {
        two_callers(std::atoi(arguments[2]));
    } else if (scene == "signals") {
        signals();
    } else if (scene == "threads") {
        in_threads([] { two_sites(), exceptions(); });
    } else if (scene == "forks") {
        forks();
    } else if (scene == "same_places" && count == 4) {
        same_places(arguments + 2);
    } else if (scene == "plug_ins" && count == 4) {
        plug_ins(arguments + 2);
    } else {
        return 2;
    }
}
