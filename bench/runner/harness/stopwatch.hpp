/// The cost of the timed part: processor time, wall time, system time, page faults.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <ctime>

namespace bench {

/// The differences between two moments of this process.
struct cost {
    std::int64_t cpu_ns = 0;
    std::int64_t wall_ns = 0;
    std::int64_t user_ns = 0;
    std::int64_t system_ns = 0;
    std::int64_t minor_faults = 0;
    std::int64_t major_faults = 0;

    cost& operator+=(const cost& other) noexcept {
        cpu_ns += other.cpu_ns;
        wall_ns += other.wall_ns;
        user_ns += other.user_ns;
        system_ns += other.system_ns;
        minor_faults += other.minor_faults;
        major_faults += other.major_faults;
        return *this;
    }
};

class stopwatch {
public:
    stopwatch() noexcept : begin_(read()) {}

    [[nodiscard]] cost elapsed() const noexcept {
        const cost end = read();
        return {end.cpu_ns - begin_.cpu_ns,
                end.wall_ns - begin_.wall_ns,
                end.user_ns - begin_.user_ns,
                end.system_ns - begin_.system_ns,
                end.minor_faults - begin_.minor_faults,
                end.major_faults - begin_.major_faults};
    }

private:
    static cost read() noexcept {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        timespec cpu{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        const auto wall = std::chrono::steady_clock::now().time_since_epoch();
        return {cpu.tv_sec * 1'000'000'000 + cpu.tv_nsec,
                std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count(),
                nanoseconds(usage.ru_utime),
                nanoseconds(usage.ru_stime),
                usage.ru_minflt,
                usage.ru_majflt};
    }

    static std::int64_t nanoseconds(const timeval& t) noexcept {
        return t.tv_sec * 1'000'000'000 + t.tv_usec * 1'000;
    }

    cost begin_;
};

} // namespace bench
