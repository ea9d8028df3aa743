// batches COUNT [FAULT]: COUNT calls of batch(), a marked scope, that allocate ten blocks each and free them.
// With POOLED they are blocks of a recorded pool, released after each call.
// FAULT: keep (the first block of each call is freed at the end), more (other() allocates, too), late, foreign and
// malloc (of a pool's blocks: freed after the release, by another pool, or by free), crash, output.
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
    return mallard_record_found;
}

mallard::record::number pool(const char* name) {
    return recorder() != nullptr ? recorder()->pool(name) : 0;
}

alignas(16) char memory[blocks * 32];

__attribute__((noinline)) void free_wrongly(mallard::record::number own, mallard::record::number other) {
    if (is("foreign")) {
        recorder()->freed(memory, other);
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
    const mallard::record::number own = pool("batches"), other = pool("others");
    recorder()->allocated(memory + 16, 16, other);
    for (int each = 0; each < blocks; ++each) {
        recorder()->allocated(memory + 32 * each, 32, own);
    }
    free_wrongly(own, other);
    recorder()->released(own);
    recorder()->released(other);
}
#else
__attribute__((noinline)) void batch(void** kept) {
    MALLARD_SCOPE("batch");
    void* made[blocks];
    for (void*& each : made) {
        each = std::malloc(32);
    }
    if (is("keep")) {
        std::free(*kept);
        *kept = made[0];
    }
    for (int each = is("keep") ? 1 : 0; each < blocks; ++each) {
        std::free(made[each]);
    }
}
#endif

__attribute__((noinline)) void other() {
    for (int each = 0; each < 500; ++each) {
        std::free(std::malloc(48));
    }
}

} // namespace

int main(int count, char** words) {
    fault = count > 2 ? words[2] : "";
    void* kept = nullptr;
    for (long each = std::atol(words[1]); each > 0; --each) {
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
