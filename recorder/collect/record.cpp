#include "recorder/collect/record.hpp"

#include "recorder/collect/failure.hpp"
#include "recorder/collect/parts/collection.hpp"
#include "recorder/collect/program/check.hpp"
#include "recorder/collect/program/child.hpp"
#include "recorder/collect/program/command.hpp"
#include "recorder/collect/program/orphans.hpp"
#include "recorder/collect/program/preloading.hpp"
#include "recorder/collect/signals.hpp"
#include "recorder/collect/summary/summary.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace mallard::collect {

namespace {

constexpr int shortest_pause = 1; // milliseconds
constexpr int longest_pause = 20;

/// The program and its trace, while the program or a process that it started runs.
class running {
public:
    running(const command& program, const arguments& how, parts_folder& folder)
        : folder_(folder), parts_(folder, how.redact),
          orphans_(how.follow ? std::optional<orphans>(folder.path()) : std::nullopt),
          program_(program, preloading_.environment(how, folder.path()), signals_) {
        trace::process started;
        started.number = static_cast<std::uint32_t>(program_.number());
        std::error_code gone;
        started.executable = std::filesystem::canonical(program.elf, gone).string();
        started.command = program.words;
        parts_.expect(std::move(started));
    }

    /// Returns: the status of the program, as wait() gives it.
    int run() {
        while (goes_on()) {
            take_signals();
            const unsigned chunks = parts_.collect(static_cast<std::uint32_t>(program_.number()));
            if (!status_ && (status_ = program_.ended())) {
                parts_.end(static_cast<std::uint32_t>(program_.number()), *status_, program_.cpu_time());
                continue;
            }
            if (orphans_) {
                orphans_->forget_ended(program_.number());
            }
            pause_ = chunks != 0 ? shortest_pause : std::min(2 * pause_, longest_pause);
            wait();
        }
        parts_.finish();
        return *status_;
    }

    [[nodiscard]] const collection::result& told() const noexcept { return parts_.told(); }

private:
    bool goes_on() {
        if (!status_ || parts_.has_running()) {
            return true;
        }
        if (!orphans_ || asked_to_end_ || !parts_.told().failed.empty()) {
            return false;
        }
        // One of them may begin and end after the last look at the folder.
        const bool may_begin = orphans_->may_begin();
        parts_.collect(static_cast<std::uint32_t>(program_.number()));
        return may_begin || parts_.has_running();
    }

    void take_signals() {
        for (auto signal = signals_.take(); signal.number != 0; signal = signals_.take()) {
            if (signal.number == SIGCHLD) {
                continue;
            }
            // The program is gone. What it left running is recorded no longer.
            if (status_) {
                asked_to_end_ = true;
            } else if (!signal.terminals) {
                program_.signal(signal.number);
            }
        }
        if (asked_to_end_) {
            parts_.stop(trace::stop_reason::asked);
            parts_.end_all();
        }
    }

    void wait() {
        std::vector<pollfd> news{{signals_.descriptor(), POLLIN, 0}, {folder_.news(), POLLIN, 0}};
        parts_.add_ends(news);
        ::poll(news.data(), news.size(), pause_);
    }

    parts_folder& folder_;
    signals signals_;
    preloading preloading_;
    collection parts_;
    std::optional<orphans> orphans_; ///< if processes are followed
    child program_;
    std::optional<int> status_;
    bool asked_to_end_ = false;
    int pause_ = shortest_pause;
};

int shell_status(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

int record(const arguments& how) {
    const command program = find_command(how.program);
    for (const std::string& note : check_program(program)) {
        say("note: " + note);
    }
    parts_folder folder = parts_folder::make(how.file);
    std::optional<running> now;
    try {
        now.emplace(program, how, folder);
    } catch (...) {
        folder.remove(); // the program was not started
        throw;
    }
    const int status = now->run();
    const collection::result told = now->told();
    now.reset(); // closes the trace
    return conclude(how, folder, told, shell_status(status));
}

} // namespace mallard::collect
