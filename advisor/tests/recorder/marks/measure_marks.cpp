// The CPU time of a mark in nanoseconds, the least of several repetitions, at a given depth of the stack:
//
//     mallard_measure_marks DEPTH COUNT                                     without a recorder
//     MALLARD_RECORD=FOLDER LD_PRELOAD=libmallard_record.so mallard_measure_marks DEPTH COUNT
#include <mallard/record/scope.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

extern "C" {
void __cyg_profile_func_enter(void* function, void* call);
void __cyg_profile_func_exit(void* function, void* call);
}

namespace {

double cpu_nanoseconds() {
    std::timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

template <class Call>
[[gnu::noinline]] double cost(long count, Call call) {
    double least = 1e18;
    for (int repetition = 0; repetition < 7; ++repetition) {
        const double start = cpu_nanoseconds();
        for (long iteration = 0; iteration < count; ++iteration) {
            call();
        }
        least = std::min(least, (cpu_nanoseconds() - start) / static_cast<double>(count));
    }
    return least;
}

[[gnu::noinline]] void empty() {
    asm volatile("");
}

[[gnu::noinline]] void scoped() {
    MALLARD_SCOPE("scope");
    asm volatile("");
}

[[gnu::noinline]] void progressing() {
    MALLARD_PROGRESS("progress");
    asm volatile("");
}

void measure(long count) {
    const double call = cost(count, empty);
    std::printf("scope, begin and end        %7.2f\n", cost(count, scoped) - call);
    std::printf("progress                    %7.2f\n", cost(count, progressing) - call);
    mallard::record::scope request("request");
    std::printf("instance, enter and leave   %7.2f\n",
                cost(count, [&] { const auto entered = request.enter(); }));
    std::printf("instance, begin and end     %7.2f\n",
                cost(count, [] { mallard::record::scope second("other"); }));
    std::printf("instrumented, enter and exit %6.2f\n", cost(count, [] {
                    auto* const function = reinterpret_cast<void*>(empty);
                    __cyg_profile_func_enter(function, nullptr);
                    __cyg_profile_func_exit(function, nullptr);
                }));
    std::printf("malloc and free             %7.2f\n", cost(count, [] {
                    void* block = std::malloc(32);
                    asm volatile("" : "+r"(block) : : "memory");
                    std::free(block);
                }));
}

[[gnu::noinline]] void at_depth(int depth, long count) {
    if (depth > 0) {
        at_depth(depth - 1, count);
    } else {
        measure(count);
    }
    asm volatile("");
}

} // namespace

int main(int count, char** words) {
    at_depth(count > 1 ? std::atoi(words[1]) : 10, count > 2 ? std::atol(words[2]) : 100'000);
}
