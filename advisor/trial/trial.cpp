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

/// Returns: the time of the clock in nanoseconds.
std::uint64_t read_clock(clockid_t clock) noexcept {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

/// Returns: iterations of an empty loop that take `nanoseconds`, by the fastest of ten calibrations.
std::uint64_t calibrate_delay(std::uint32_t nanoseconds) noexcept {
    constexpr std::uint64_t iterations = 100'000;
    std::uint64_t fastest = ~std::uint64_t{0};
    for (int attempt = 0; attempt < 10; ++attempt) {
        const std::uint64_t start = recorder::nanoseconds();
        for (std::uint64_t remaining = iterations; remaining != 0; --remaining) {
            asm volatile("" : "+r"(remaining));
        }
        const std::uint64_t elapsed = recorder::nanoseconds() - start;
        fastest = elapsed < fastest ? elapsed : fastest;
    }
    return nanoseconds * iterations / (fastest + 1);
}

} // namespace

/// Concurrent requests, of this thread or others, are served by the global allocator.
bool trial::begin() noexcept {
    auto expected = state::not_begun;
    if (!state_.compare_exchange_strong(expected, state::beginning)) {
        return false;
    }
    const int saved_errno = errno;
    const recorder::uncancelled until_the_end;
    const bool works = start();
    state_.store(works ? state::on : state::off, std::memory_order_release);
    errno = saved_errno;
    return works;
}

bool trial::start() noexcept {
    settings = setting::read();
    if (settings.served_by == nullptr) {
        return false;
    }
    auto* const flag =
        static_cast<volatile std::uint32_t*>(recorder::memory_wiped_at_fork(sizeof(std::uint32_t)));
    results = map_report(settings.report.data());
    if (flag == nullptr || results == nullptr || !the_region.open(settings.most_taken)) {
        return false;
    }
    *flag = 1;
    in_original_process_ = flag;
    results->ranges = static_cast<std::uint32_t>(settings.code.count);
    code.begin(settings.code, results->seen);
    except.begin(settings.except, results->seen_excepted);
    unloaded.begin();
    const std::uint64_t cpu_before = read_clock(CLOCK_PROCESS_CPUTIME_ID),
                        wall_before = read_clock(CLOCK_MONOTONIC);
    if (settings.delay_ns > 0) {
        delay_iterations = calibrate_delay(settings.delay_ns);
    }
    if (settings.litter > 0) {
        litter_heap(settings.litter);
    }
    results->begin_cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
    results->begin_wall_ns = read_clock(CLOCK_MONOTONIC) - wall_before;
    return true;
}

} // namespace mallard::trial
