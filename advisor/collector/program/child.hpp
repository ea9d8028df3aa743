/// The recorded program, as a child with the terminal and the signals that it would have without the collector.
#pragma once

#include "collector/arguments.hpp"
#include "collector/signals.hpp"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mallard::collector {

class child {
public:
    /// Effects: starts the program with these variables as its environment.
    /// Throws: failure if the system refuses.
    child(const arguments& args, std::vector<std::string> variables, const signals& own);
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    [[nodiscard]] pid_t number() const noexcept { return number_; }
    /// Returns: the status in the format of wait(), or nothing while the program runs.
    std::optional<int> ended() noexcept;
    /// Returns: the CPU time of the process in nanoseconds, with all programs that it executed; 0 while it runs.
    [[nodiscard]] std::uint64_t cpu_time() const noexcept { return cpu_time_; }
    void signal(int signal_number) const noexcept;

private:
    pid_t number_ = 0;
    std::optional<int> status_;
    std::uint64_t cpu_time_ = 0;
};

/// Processes of a followed program that outlive their parents.
///
/// A process has a part only once it allocates. Until then the collector does not see it, and the end of its parent would end the
/// recording too early. So these processes become children of the collector, which asks the system about them.
class orphans {
public:
    /// Effects: makes this process the reaper of descendants whose parents exit.
    explicit orphans(const std::filesystem::path& parts);

    /// Effects: waits for the exited children, up to the first that is `except`.
    void reap(pid_t except) noexcept;
    /// Requires: the recorded program has ended, and been waited for.
    /// Returns: false if no child can open a part any more. That takes the loader, and the environment of the recording.
    [[nodiscard]] bool may_begin() const;

private:
    std::string variable_; ///< an entry of the environment, as in /proc
};

} // namespace mallard::collector
