// batches COUNT [FAULT]: COUNT calls of batch(), a marked scope, which allocate ten blocks and free them.
// With POOLED the blocks belong to a recorded pool, which is released after each call.
// FAULT: keep (the first block of each call is freed at the end), more (other() allocates as well), late, foreign and
// malloc (a block of a pool is freed after the release, by another pool, or by free), crash, output.
#include <mallard/record/scope.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int blocks = 10;
const char* fault = "";

bool is(const char* name) {
    return std::strcmp(fault, name) == 0;
}

#if POOLED
const mallard::record::functions* recorder() {
    return mallard_recorder;
}

mallard::record::number pool(const char* name) {
    return recorder() != nullptr ? recorder()->pool(name) : 0;
}

alignas(16) char memory[blocks * 32];

__attribute__((noinline)) void free_wrongly(mallard::record::number own, mallard::record::number second) {
    if (is("foreign")) {
        recorder()->freed(memory, second);
    }
    if (is("late")) {
        recorder()->released(own);
    }
    if (is("late")) {
        recorder()->freed(memory, own);
    }
}

__attribute__((noinline)) void batch(void** kept) {
    MALLARD_SCOPE("batch");
    static_cast<void>(kept);
    if (recorder() == nullptr) {
        return;
    }
    const mallard::record::number own = pool("batches"), second = pool("others");
    recorder()->allocated(memory + 16, 16, second);
    for (int index = 0; index < blocks; ++index) {
        recorder()->allocated(memory + 32 * index, 32, own);
    }
    free_wrongly(own, second);
    recorder()->released(own);
    recorder()->released(second);
}
#else
__attribute__((noinline)) void batch(void** kept) {
    MALLARD_SCOPE("batch");
    void* allocated[blocks];
    for (void*& block : allocated) {
        block = std::malloc(32);
    }
    if (is("keep")) {
        std::free(*kept);
        *kept = allocated[0];
    }
    for (int index = is("keep") ? 1 : 0; index < blocks; ++index) {
        std::free(allocated[index]);
    }
}
#endif

__attribute__((noinline)) void other() {
    for (int count = 0; count < 500; ++count) {
        std::free(std::malloc(48));
    }
}

} // namespace

int main(int count, char** words) {
    fault = count > 2 ? words[2] : "";
    void* kept = nullptr;
    for (long remaining = std::atol(words[1]); remaining > 0; --remaining) {
        batch(&kept);
    }
    std::free(kept);
    if (is("more")) {
        other();
    }
    std::puts(is("output") ? "another" : "done");
    if (is("crash")) {
        std::raise(SIGABRT);
    }
}
