/// All recorded processes of a recording, on their way into one trace.
///
/// Data model: a part for each program that a process executes. A part ends with its process; that of an earlier program
/// of the process is idle until then. An executed program counts as not followed, in the header of the process that
/// executed it, until the program's own part exists.
#pragma once

#include "collector/parts/part.hpp"
#include "collector/parts/parts_folder.hpp"
#include "trace/writer.hpp"

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mallard::collector {

class collection {
public:
    /// The summary of the recording.
    struct result {
        std::size_t processes = 0;
        std::uint64_t damaged = 0; ///< chunks with invalid records
        std::string failed;        ///< why the trace could not be completed; empty if it was
        // Of processes without an event, which are not in the trace.
        std::uint64_t forks_not_followed = 0;
        std::uint64_t programs_not_followed = 0;
        std::uint64_t events_of_unknown_threads = 0;     ///< in a sandbox
        std::vector<std::string> programs_without_event; ///< followed ones
        /// Programs that processes of the trace counted as not followed, and that were found after these had exited.
        std::uint64_t late_programs = 0;
        bool is_idle = false;      ///< the recording waits for its begin, or never had one
        bool is_disk_full = false; ///< at the end of a recording without a process
        std::string ended_by; ///< the option that ended the recording before the program; empty if it did not
    };

    /// Effects: starts the trace in the folder, or resumes an existing one.
    /// Throws: trace_error.
    collection(parts_folder& folder, bool redact);
    collection(const collection&) = delete;
    collection& operator=(const collection&) = delete;
    ~collection();

    /// Effects: begins the recording in a folder that is idle.
    void begin();

    /// Effects: sets the executable and command of the process, in case it exits before its part is found.
    void expect(trace::process started) { started_ = std::move(started); }

    /// Effects: finds new parts, and writes the records that are ready; all records of processes that have exited, except for
    /// `except`, whose end the caller reports.
    /// Returns: the number of chunks.
    unsigned collect(std::uint32_t except);
    /// Effects: writes all records of the process, which has exited with a status in the format of wait(), and after
    /// `cpu_time` nanoseconds of CPU time.
    void end(std::uint32_t process, int status, std::uint64_t cpu_time);
    /// Effects: writes all records of all processes, which have exited.
    void end_all();

    /// Effects: writes the end of the trace.
    void finish();

    /// Effects: stops recording. The first reason is kept.
    void stop(trace::stop_reason reason);

    /// Returns: true if processes are still running.
    [[nodiscard]] bool has_running() const noexcept;
    /// Effects: adds the descriptors that become readable when a process exits.
    void add_ends(std::vector<pollfd>& to) const;
    /// Effects: has the recording end at this time, or when the trace has this size with all that waits for it. All processes
    /// stop recording then, and `summary().ended_by` is not empty any more.
    void end_at(std::chrono::steady_clock::time_point time, std::uint64_t bytes) noexcept;
    /// Effects: the function is called after each chunk. Its answer, if not empty, ends the recording by that name, as `end_at` does.
    void end_when(std::function<std::string()> asked) { asked_to_end_ = std::move(asked); }
    [[nodiscard]] const result& summary() const noexcept { return result_; }

private:
    struct recorded_process;
    void find_parts();
    /// Returns: true if the process executed another program, and has several parts.
    [[nodiscard]] bool has_other_parts(std::uint32_t process) const noexcept;
    [[nodiscard]] bool has_begun(recorded_process& process);
    void uncount_programs();
    void begin_parts() noexcept;
    [[nodiscard]] recorded_process* find_executor(const recorded_process& program) const noexcept;
    void end_without_event(recorded_process& process);
    [[nodiscard]] std::size_t number_in_trace(const recorded_process& process);
    void add_chunk(const recorded_process& process, std::span<const std::byte> records);
    void end(recorded_process& process, int status, std::uint64_t cpu_time = 0);
    void end_exited(std::uint32_t except);
    void remove_ended();
    void sample_memory();
    void check_disk();
    void check_end();
    void end_now(const std::string& reason);
    [[nodiscard]] std::uint64_t expected_bytes() const;
    bool make_room();
    void release_chunks();
    template <typename Step>
    void run_step(Step step);
    void fail(const std::string& reason);

    parts_folder* folder_;
    std::unique_ptr<trace::writer> to_;
    trace::process started_;            ///< started by the collector
    std::vector<trace::process> known_; ///< processes of an earlier collector
    clock_pair began_;
    disk_reserve reserve_;
    std::vector<std::unique_ptr<recorded_process>> parts_;
    std::set<std::string> seen_;
    trace::stop_reason stopped_ = trace::stop_reason::none;
    std::chrono::steady_clock::time_point end_time_ = std::chrono::steady_clock::time_point::max();
    std::uint64_t most_bytes_ = UINT64_MAX;
    std::function<std::string()> asked_to_end_;
    std::uint64_t unflushed_bytes_ = 0; ///< of records that were delivered since the last flush
    std::chrono::steady_clock::time_point next_sample_; ///< of memory
    std::uint64_t end_ticks_ = 0;                       ///< the moment at which an option ended the recording
    result result_;
};

} // namespace mallard::collector
