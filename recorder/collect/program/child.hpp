/// The recorded program, as a child that has the terminal and the signals that it would have without the collector.
#pragma once

#include "recorder/collect/program/command.hpp"
#include "recorder/collect/signals.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mallard::collect {

class child {
public:
    /// Effects: starts the program with these variables as its environment.
    /// Throws: failure if the system refuses.
    child(const command& program, std::vector<std::string> variables, const signals& own);
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    [[nodiscard]] pid_t number() const noexcept { return number_; }
    /// Returns: the status as wait() gives it; nothing while the program runs.
    std::optional<int> ended() noexcept;
    /// Returns: the CPU time of the process, all programs that it became and all threads, in nanoseconds; 0 if it runs.
    [[nodiscard]] std::uint64_t cpu_time() const noexcept { return cpu_time_; }
    void signal(int which) const noexcept;

private:
    pid_t number_ = 0;
    std::optional<int> status_;
    std::uint64_t cpu_time_ = 0;
};

} // namespace mallard::collect
