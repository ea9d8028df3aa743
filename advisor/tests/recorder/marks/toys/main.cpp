#include "recorder/marks/toys/toy.hpp"

#include <mallard/record/scope.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace toy {

namespace {

std::jmp_buf out;

void leaf(std::size_t bytes) {
    say("+", "leaf");
    {
        MALLARD_SCOPE("leaf");
        use(bytes);
        if (bytes % 2 != 0) {
            say("-", "leaf");
            return;
        }
        say("!", "even");
        MALLARD_PROGRESS("even");
        say("-", "leaf");
    }
}

[[gnu::noinline]] void throw_from(int depth) {
    say("+", "thrower");
    MALLARD_SCOPE("thrower");
    use(static_cast<std::size_t>(2000 + depth));
    if (depth > 0) {
        throw_from(depth - 1);
    }
    say("-", "thrower");
    say("-", "thrower");
    say("-", "thrower");
    throw std::runtime_error("out of three scopes");
}

[[gnu::noinline]] void jump() {
    say("+", "jumper");
    MALLARD_SCOPE("jumper");
    {
        say("+", "inner");
        MALLARD_SCOPE("inner");
        use(3000);
        say("-", "inner");
        say("-", "jumper");
        std::longjmp(out, 1);
    }
}

volatile sig_atomic_t is_handled = 0;

void handler(int) {
    MALLARD_SCOPE("handler");
    touch(4000);
    is_handled = 1;
}

} // namespace

void nested() {
    say("+", "nested");
    {
        MALLARD_SCOPE("nested");
        for (std::size_t bytes = 1000; bytes < 1004; ++bytes) {
            leaf(bytes);
        }
        {
            say("+", "nested");
            MALLARD_SCOPE("nested");
            use(1010);
            say("-", "nested");
        }
        say("-", "nested");
    }
    use(1020);
}

void exceptions() {
    for (int turn = 0; turn < 3; ++turn) {
        say("+", "catcher");
        MALLARD_SCOPE("catcher");
        try {
            throw_from(2);
        } catch (const std::runtime_error&) {
            use(2010);
        }
        say("-", "catcher");
    }
}

void jumps() {
    say("+", "jumps");
    {
        MALLARD_SCOPE("jumps");
        static int turn;
        for (turn = 0; turn < 3; ++turn) {
            if (setjmp(out) == 0) {
                jump();
            } else if (turn !=
                       1) { // after the second jump the scopes begin again without an event in between
                use(3010);
            }
        }
        say("-", "jumps");
    }
}

// Threads do not print their marks: all do the same.
void threads() {
    std::vector<std::thread> workers;
    for (int count = 0; count < 4; ++count) {
        workers.emplace_back([] {
            for (int turn = 0; turn < 1000; ++turn) {
                MALLARD_SCOPE("outer of thread");
                MALLARD_SCOPE("inner of thread");
                touch(5000);
            }
        });
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
}

void forks() {
    MALLARD_SCOPE("before the fork");
    mallard::record::scope request("handed to the child");
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        MALLARD_SCOPE("in the child");
        const auto entered = request.enter();
        touch(6000);
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    MALLARD_SCOPE("in the parent");
}

void signals() {
    struct sigaction action{};
    action.sa_handler = handler;
    ::sigaction(SIGALRM, &action, nullptr);
    ::ualarm(200, 200);
    int turns = 0;
    for (; turns < 50'000 || is_handled == 0; ++turns) {
        MALLARD_SCOPE("interrupted");
        touch(4010);
    }
    ::ualarm(0, 0);
    say(std::to_string(turns).c_str());
}

void many_names() {
    mallard::record::scope(std::string(1000, 'x').c_str());
    for (int number = 0; number < 70'000; ++number) {
        mallard::record::scope(("name " + std::to_string(number)).c_str());
    }
}

void killed() {
    MALLARD_SCOPE("to the end");
    touch(7000);
    ::raise(SIGKILL);
    std::abort();
}

void say(const char* sign, const char* name) {
    static char words[65'536];
    static std::size_t used = 0;
    const std::size_t room = sizeof words - used;
    const auto wanted = static_cast<std::size_t>(std::snprintf(words + used, room, "%s%s ", sign, name));
    used += wanted < room ? wanted : 0;
    if (*sign == '\n') {
        (void)!::write(1, words, used);
    }
}

void touch(std::size_t bytes) {
    void* block = std::malloc(bytes);
    asm volatile("" : "+r"(block) : : "memory"); // or the compiler removes both calls
    std::free(block);
}

void use(std::size_t bytes) {
    char number[24];
    std::snprintf(number, sizeof number, "%zu", bytes);
    say(number);
    touch(bytes);
}

} // namespace toy

int main(int, char** words) {
    struct mode {
        const char* name;
        void (*run)();
    };
    static constexpr mode modes[] = {
        {"nested", toy::nested},   {"exceptions", toy::exceptions},
        {"jumps", toy::jumps},     {"threads", toy::threads},
        {"hops", toy::hops},       {"forks", toy::forks},
        {"signals", toy::signals}, {"killed", toy::killed},
        {"pools", toy::pools},     {"many-names", toy::many_names},
    };
#ifndef MALLARD_TOY_LOADS_NOTHING
    if (words[2] != nullptr) {
        toy::plug_in(words[2]);
    }
#endif
    for (const mode& candidate : modes) {
        if (std::strcmp(words[1], candidate.name) == 0) {
            candidate.run();
        }
    }
    toy::say("\n");
}
