#include "trial/trial.hpp"

#include "recorder/system/time_stamp.hpp"
#include "recorder/system/uncancelled.hpp"
#include "recorder/system/wiped_memory.hpp"
#include "trial/litter.hpp"
#include "trial/serve/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <new>

namespace mallard::trial {

constinit trial the_trial;

namespace {

report* map_report(const char* path) noexcept {
    const int file = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return nullptr;
    }
    void* memory = MAP_FAILED;
    if (::posix_fallocate(file, 0, sizeof(report)) == 0) {
        memory = ::mmap(nullptr, sizeof(report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    ::close(file);
    return memory == MAP_FAILED ? nullptr : new (memory) report;
}

/// Returns: nanoseconds.
std::uint64_t read_clock(clockid_t which) noexcept {
    timespec now{};
    ::clock_gettime(which, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Returns: the turns of an empty loop that take so many nanoseconds; the fastest of some tries counts.
std::uint64_t turns_of(std::uint32_t nanoseconds) noexcept {
    constexpr std::uint64_t tried = 100'000;
    std::uint64_t least = ~std::uint64_t{0};
    for (int each = 0; each < 10; ++each) {
        const std::uint64_t before = recorder::nanoseconds();
        for (std::uint64_t turns = tried; turns != 0; --turns) {
            asm volatile("" : "+r"(turns));
        }
        const std::uint64_t passed = recorder::nanoseconds() - before;
        least = passed < least ? passed : least;
    }
    return nanoseconds * tried / (least + 1);
}

} // namespace

/// A request that comes meanwhile, on this thread or on another one, is served by the global allocator.
bool trial::begin() noexcept {
    auto expected = state::not_begun;
    if (!state_.compare_exchange_strong(expected, state::beginning)) {
        return false;
    }
    const int before = errno;
    const recorder::uncancelled until_the_end;
    const bool works = begin_here();
    state_.store(works ? state::on : state::off, std::memory_order_release);
    errno = before;
    return works;
}

bool trial::begin_here() noexcept {
    asked = setting::read();
    if (asked.served_by == nullptr) {
        return false;
    }
    auto* const same =
        static_cast<volatile std::uint32_t*>(recorder::memory_wiped_at_fork(sizeof(std::uint32_t)));
    into = map_report(asked.report.data());
    if (same == nullptr || into == nullptr || !the_region.open(asked.most_taken)) {
        return false;
    }
    *same = 1;
    same_process_ = same;
    into->ranges = static_cast<std::uint32_t>(asked.code.count);
    code.begin(asked.code, into->seen);
    except.begin(asked.except, into->seen_excepted);
    unloaded.begin();
    const std::uint64_t cpu_before = read_clock(CLOCK_PROCESS_CPUTIME_ID),
                        before = read_clock(CLOCK_MONOTONIC);
    if (asked.delay_ns > 0) {
        delay_turns = turns_of(asked.delay_ns);
    }
    if (asked.litter > 0) {
        litter_heap(asked.litter);
    }
    into->begin_cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
    into->begin_wall_ns = read_clock(CLOCK_MONOTONIC) - before;
    return true;
}

} // namespace mallard::trial
