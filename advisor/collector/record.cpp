#include "collector/record.hpp"

#include "collector/attach/injection.hpp"
#include "collector/attach/target.hpp"
#include "collector/facts.hpp"
#include "collector/failure.hpp"
#include "collector/parts/collection.hpp"
#include "collector/program/child.hpp"
#include "collector/program/preloading.hpp"
#include "collector/signals.hpp"
#include "collector/summary.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace mallard::collector {

namespace {

constexpr int shortest_pause = 1; // milliseconds
constexpr int longest_pause = 20;
constexpr int longest_idle_pause = 1000; // what happens before the recording begins can wait

/// Effects: has the recording, which begins now, end as the options say.
void set_limits(collection& parts, const arguments& args) {
    parts.end_at(args.duration.count() == 0 ? std::chrono::steady_clock::time_point::max()
                                            : std::chrono::steady_clock::now() + args.duration,
                 args.most_bytes);
}

/// The program and its trace, while the program or one of its followed processes runs.
class session {
public:
    session(const arguments& args, parts_folder& folder)
        : args_(args), folder_(folder), signals_(args.signal), preloading_(folder.path()),
          parts_(folder, args.redact),
          orphans_(args.follow ? std::optional<orphans>(folder.path()) : std::nullopt),
          program_(args, preloading_.environment(args, folder.path()), signals_), until_end_(args.until_end) {
        trace::process started;
        started.number = static_cast<std::uint32_t>(program_.number());
        std::error_code error;
        started.executable = std::filesystem::canonical(args.elf, error).string();
        started.command = args.program;
        parts_.expect(std::move(started));
        parts_.end_when([this] { return signal_to_end_; });
        if (args.signal == 0) {
            set_limits(parts_, args);
        } else {
            write_signal("idle");
        }
    }

    /// Effects: records until the program and its followed processes end, or until an option ends the recording.
    void run() {
        while (should_continue()) {
            take_signals();
            const unsigned chunks = parts_.collect(static_cast<std::uint32_t>(program_.number()));
            if (!parts_.summary().ended_by.empty()) {
                parts_.end_all();
                break;
            }
            if (!status_) {
                status_ = program_.ended();
                if (status_) {
                    parts_.end(static_cast<std::uint32_t>(program_.number()), *status_, program_.cpu_time());
                    if (until_end_) {
                        // Those that have ended are complete.
                        parts_.collect(static_cast<std::uint32_t>(program_.number()));
                        end_requested_ = true;
                    }
                    continue;
                }
            }
            if (orphans_) {
                orphans_->reap(program_.number());
            }
            const int longest = parts_.summary().is_idle ? longest_idle_pause : longest_pause;
            pause_ = chunks != 0 ? shortest_pause : std::min(2 * pause_, longest);
            wait();
        }
        parts_.finish();
    }

    /// Returns: the status of the program, in the format of wait(). Waits for its end.
    int wait_for_program() {
        while (!status_) {
            take_signals();
            status_ = program_.ended();
            pollfd signal{signals_.descriptor(), POLLIN, 0};
            ::poll(&signal, 1, status_ ? 0 : longest_pause);
        }
        return *status_;
    }

    [[nodiscard]] const collection::result& summary() const noexcept { return parts_.summary(); }

private:
    bool should_continue() {
        if (!status_ || parts_.has_running()) {
            return true;
        }
        if (!orphans_ || end_requested_ || !parts_.summary().failed.empty()) {
            return false;
        }
        // A process may begin and end after the last scan of the folder.
        const bool may_begin = orphans_->may_begin();
        parts_.collect(static_cast<std::uint32_t>(program_.number()));
        return may_begin || parts_.has_running();
    }

    void take_signals() {
        for (auto signal = signals_.take(); signal.number != 0; signal = signals_.take()) {
            if (signal.number == SIGCHLD) {
                continue;
            }
            if (signal.number == args_.signal) {
                begin_or_end();
                continue;
            }
            // The program has exited. Its remaining processes are no longer recorded.
            if (status_) {
                end_requested_ = true;
            } else if (program_.ended()) {
                until_end_ = true; // run() notices the end in this turn
            } else if (!signal.terminals) {
                program_.signal(signal.number);
            }
        }
        if (end_requested_) {
            parts_.stop(trace::stop_reason::requested);
            parts_.end_all();
        }
    }

    void begin_or_end() {
        if (parts_.summary().is_idle) {
            parts_.begin();
            set_limits(parts_, args_);
            pause_ = shortest_pause;
            write_signal("begun");
        } else if (signal_to_end_.empty() && parts_.summary().ended_by.empty()) {
            signal_to_end_ = "SIG" + std::string(::sigabbrev_np(args_.signal));
        } else {
            write_signal("over");
        }
    }

    /// Effects: writes that the recording waits for the signal, has begun, or had ended before it.
    void write_signal(const char* fact) const {
        trace::json_writer json = begin_fact(fact);
        json.field("signal", ::sigabbrev_np(args_.signal)).field("collector", ::getpid());
        write_fact(json);
    }

    void wait() {
        std::vector<pollfd> descriptors{{signals_.descriptor(), POLLIN, 0},
                                        {folder_.inotify_fd(), POLLIN, 0}};
        parts_.add_ends(descriptors);
        ::poll(descriptors.data(), descriptors.size(), pause_);
    }

    const arguments& args_;
    parts_folder& folder_;
    signals signals_;
    preloading preloading_;
    collection parts_;
    std::optional<orphans> orphans_; ///< if processes are followed
    child program_;
    std::optional<int> status_;
    bool end_requested_ = false;
    bool until_end_;            ///< processes that outlive the program are not waited for
    std::string signal_to_end_; ///< the name of the signal that ends the recording, once it has come
    int pause_ = shortest_pause;
};

int shell_status(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

int record(const arguments& args) {
    parts_folder folder = parts_folder::make(args.file);
    std::optional<session> current;
    try {
        if (args.signal != 0) {
            folder.set_idle();
        }
        current.emplace(args, folder);
    } catch (...) {
        folder.remove(); // the program was not started
        throw;
    }
    current->run();
    const collection::result summary = current->summary();
    if (summary.ended_by.empty()) {
        const int status = shell_status(current->wait_for_program());
        current.reset(); // closes the trace
        return conclude(args, folder, summary, status);
    }
    const int failed = conclude(args, folder, summary, 0);
    const int status = shell_status(current->wait_for_program());
    return failed != 0 ? failed : status;
}

namespace {

trace::stack_source source_of_stacks(const std::string& name) {
    return name == "none" ? trace::stack_source::none
           : name == "fp" ? trace::stack_source::frame_pointers
                          : trace::stack_source::descriptions;
}

template <std::size_t Bytes>
void store(std::array<char, Bytes>& to, const std::filesystem::path& from) {
    if (from.native().size() >= Bytes) {
        throw failure("'" + from.string() + "' is too long a path");
    }
    std::ranges::copy(from.native(), to.begin());
}

/// The settings for a running process, whose library and folder have the same paths as here.
trace::attachment settings_for(const arguments& args, const std::filesystem::path& library,
                               const std::filesystem::path& folder) {
    trace::attachment result;
    result.collector = static_cast<std::uint32_t>(::getpid());
    result.sampled_one_in = args.sample;
    result.stacks = source_of_stacks(args.stacks);
    store(result.library, library);
    store(result.folder, folder);
    return result;
}

/// Effects: takes precedence over the threads of a busy process, as far as the caller's rights allow. With one of many equal
/// shares of the processors, the collector would take seconds for the events of one second.
void raise_priority() noexcept {
    constexpr int steps = 10;
    errno = 0;
    const int priority = ::getpriority(PRIO_PROCESS, 0);
    if (errno == 0) {
        (void)::setpriority(PRIO_PROCESS, 0, priority - steps);
    }
}

/// The recording of a process that was running before.
class attached_session {
public:
    attached_session(target& process, const arguments& args, parts_folder& folder)
        : folder_(folder), preloading_(folder.path()), parts_(folder, args.redact),
          attachment_(attach(process, settings_for(args, preloading_.library(), folder.path()))) {
        raise_priority();
        set_limits(parts_, args);
        parts_.end_when([this] { return signal_to_end(); });
    }

    void run() {
        bool is_recording = true;
        while (is_recording) {
            // The state is read first, so that the events before it are collected.
            auto state = trace::attachment_state::recording;
            is_recording = attachment_.read_state(state) && state == trace::attachment_state::recording;
            const unsigned chunks = parts_.collect(0);
            if (!parts_.summary().ended_by.empty() || !parts_.summary().failed.empty()) {
                break;
            }
            pause_ = chunks != 0 ? shortest_pause : std::min(2 * pause_, longest_pause);
            std::vector<pollfd> descriptors{{signals_.descriptor(), POLLIN, 0},
                                            {folder_.inotify_fd(), POLLIN, 0}};
            parts_.add_ends(descriptors);
            ::poll(descriptors.data(), descriptors.size(), is_recording ? pause_ : 0);
        }
        parts_.end_all();
        parts_.finish();
        wait_for_detachment();
    }

    [[nodiscard]] const collection::result& summary() const noexcept { return parts_.summary(); }

private:
    /// Returns: the name of a signal that ends the recording, or an empty string.
    [[nodiscard]] std::string signal_to_end() const {
        for (auto signal = signals_.take(); signal.number != 0; signal = signals_.take()) {
            if (signal.number != SIGCHLD) {
                return signal.number == SIGINT ? "Ctrl-C" : "a signal";
            }
        }
        return {};
    }

    /// Until the process is as before. A loaded machine may take its time.
    void wait_for_detachment() const {
        constexpr auto most = std::chrono::seconds(5);
        const auto end = std::chrono::steady_clock::now() + most;
        auto state = trace::attachment_state::recording;
        while (attachment_.read_state(state) && state == trace::attachment_state::recording &&
               std::chrono::steady_clock::now() < end) {
            ::poll(nullptr, 0, shortest_pause);
        }
    }

    parts_folder& folder_;
    signals signals_;
    preloading preloading_;
    collection parts_;
    remote_attachment attachment_;
    int pause_ = shortest_pause;
};

} // namespace

int record_process(const arguments& args) {
    target process(static_cast<pid_t>(args.process));
    parts_folder folder = parts_folder::make(args.file);
    std::optional<attached_session> current;
    try {
        current.emplace(process, args, folder);
    } catch (...) {
        folder.remove(); // the process is not recorded
        throw;
    }
    trace::json_writer json = begin_fact("attached");
    json.field("process", args.process).field("program", process.executable().string());
    write_fact(json);
    current->run();
    const collection::result summary = current->summary();
    current.reset(); // closes the trace
    arguments shown = args;
    shown.program = {process.executable().string()};
    return conclude(shown, folder, summary, 0);
}

namespace {

/// A process's memory map identifies the recorded process, which another one with a reused ID does not match.
bool still_writes(const parts_folder::part_name& part) {
    std::ifstream maps("/proc/" + std::to_string(part.process) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with(part.file.string())) {
            return true;
        }
    }
    return false;
}

/// Throws: failure if the part is of another version. This one would find no event in it, and remove it.
void refuse_other_version(const parts_folder::part_name& part) {
    std::uint64_t magic = 0;
    std::array<char, sizeof magic> bytes{};
    if (!std::ifstream(part.file, std::ios::binary).read(bytes.data(), bytes.size())) {
        return; // the process ended before it wrote a header
    }
    std::memcpy(&magic, bytes.data(), bytes.size());
    constexpr std::uint64_t without_version = ~std::uint64_t{0} >> 8;
    if (magic != trace::part_magic && (magic & without_version) == (trace::part_magic & without_version)) {
        throw failure("'" + part.file.string() + "' has version " + bytes.back() +
                      " of a recording, and this program reads version " +
                      static_cast<char>(trace::part_magic >> 56) +
                      "; recover it with the mallard that recorded it, or record again");
    }
}

} // namespace

int recover(const arguments& args) {
    parts_folder folder = parts_folder::open(args.file);
    for (const auto& part : folder.parts()) {
        refuse_other_version(part);
        if (still_writes(part)) {
            throw failure("process " + std::to_string(part.process) +
                          " of this recording is still running; wait for its end, or end it");
        }
    }
    collection::result summary;
    try {
        collection parts(folder, args.redact);
        parts.end_all();
        parts.finish();
        summary = parts.summary();
    } catch (const trace::trace_error& error) {
        summary.failed = error.what();
    }
    return conclude(args, folder, summary, 0);
}

} // namespace mallard::collector
