// Compiled with -finstrument-functions: each function calls a hook at its entry and exit.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#define PLAIN __attribute__((no_instrument_function))

extern "C" {
int leaf(int bytes);
int middle(int depth);
int thrower(int bytes);
int catcher();
int jumper(int depth);
int jumped();
int mute(int bytes);
int catcher_of_mute();
void __cyg_profile_func_enter(void* function, void* call);
}

[[gnu::noinline]] int leaf(int bytes) {
    void* block = std::malloc(static_cast<std::size_t>(bytes));
    asm volatile("" : "+r"(block) : : "memory");
    std::free(block);
    return bytes;
}

[[gnu::noinline]] int middle(int depth) {
    return depth == 0 ? leaf(1000) : middle(depth - 1) + leaf(1000 + depth);
}

[[gnu::noinline]] int thrower(int bytes) {
    if (leaf(bytes) == bytes) {
        throw bytes;
    }
    return 0;
}

[[gnu::noinline]] int catcher() {
    int caught = 0;
    for (int turn = 0; turn < 3; ++turn) {
        try {
            caught += thrower(2000 + turn);
        } catch (int bytes) {
            caught += leaf(bytes + 10);
        }
    }
    return caught;
}

std::jmp_buf out;

[[gnu::noinline]] int jumper(int depth) {
    if (depth > 0) {
        return jumper(depth - 1) + 1;
    }
    if (leaf(3000) == 3000) {
        std::longjmp(out, 1);
    }
    return 0;
}

[[gnu::noinline]] int jumped() {
    static int turn;
    for (turn = 0; turn < 2; ++turn) {
        if (setjmp(out) == 0) {
            return jumper(1);
        }
        if (turn == 0) {
            void* block = std::malloc(3010);
            asm volatile("" : "+r"(block) : : "memory");
            std::free(block);
        }
    }
    return 0;
}

// As compiled by clang++: an exception leaves the function without a call of the exit hook.
PLAIN [[gnu::noinline]] int mute(int bytes) {
    __cyg_profile_func_enter(reinterpret_cast<void*>(mute), __builtin_return_address(0));
    if (leaf(bytes) == bytes) {
        throw bytes;
    }
    return 0;
}

[[gnu::noinline]] int catcher_of_mute() {
    int caught = 0;
    for (int turn = 0; turn < 2; ++turn) {
        try {
            caught += mute(4000 + turn);
        } catch (int bytes) {
            caught += leaf(bytes + 10);
        }
    }
    return caught;
}

PLAIN int main() {
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    const int sum = middle(2) + catcher() + jumped() + catcher_of_mute();
    std::printf("leaf %zx middle %zx thrower %zx catcher %zx jumper %zx jumped %zx mute %zx catcher_of_mute "
                "%zx sum %d\n",
                reinterpret_cast<std::size_t>(leaf), reinterpret_cast<std::size_t>(middle),
                reinterpret_cast<std::size_t>(thrower), reinterpret_cast<std::size_t>(catcher),
                reinterpret_cast<std::size_t>(jumper), reinterpret_cast<std::size_t>(jumped),
                reinterpret_cast<std::size_t>(mute), reinterpret_cast<std::size_t>(catcher_of_mute), sum);
}
