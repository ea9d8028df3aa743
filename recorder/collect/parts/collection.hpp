/// All recorded processes of a recording, on their way into one trace.
///
/// Data model: a part for each program that a process executes. A part ends with its process. That of an earlier program
/// of the same process is idle until then. An executed program counts as not followed, in the header of the process that
/// executed it, until the program's own part is there.
#pragma once

#include "recorder/collect/parts/disk_reserve.hpp"
#include "recorder/collect/parts/part.hpp"
#include "recorder/collect/parts/parts_folder.hpp"
#include "recorder/collect/parts/process_facts.hpp"
#include "trace/writer.hpp"

#include <poll.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mallard::collect {

class collection {
public:
    /// What is told at the end.
    struct result {
        std::size_t processes = 0;
        std::uint64_t damaged = 0; ///< chunks with records that made no sense
        std::string failed;        ///< why the trace could not be written to its end; empty if it was
        // Of processes that had no event, so that the trace does not have them.
        std::uint64_t forks_not_followed = 0;
        std::uint64_t programs_not_followed = 0;
        std::uint64_t events_of_unknown_threads = 0;     ///< in a sandbox
        std::vector<std::string> programs_without_event; ///< followed ones
        /// Programs that processes of the trace count as not followed, and that were found when these had ended.
        std::uint64_t programs_found_late = 0;
    };

    /// Effects: begins the trace in the folder, or goes on with the one that is there.
    /// Throws: trace_error.
    collection(parts_folder& folder, bool redact);
    collection(const collection&) = delete;
    collection& operator=(const collection&) = delete;
    ~collection();

    /// Effects: this executable and command are those of the process, if it is gone before its part is found.
    void expect(trace::process started) { started_ = std::move(started); }

    /// Effects: finds new parts, and hands on the records that are ready; all of processes that have ended, except of
    /// `but`, whose end is told.
    /// Returns: the number of chunks.
    unsigned collect(std::uint32_t but);
    /// Effects: hands on all records of the process, which has ended with a status as wait() gives it, and after so many
    /// nanoseconds of CPU time.
    void end(std::uint32_t process, int status, std::uint64_t cpu_time);
    /// Effects: hands on all records of all processes, none of which runs any more.
    void end_all();

    /// Effects: writes the end of the trace.
    void finish();

    /// Effects: nothing is recorded from now on. The first reason stays.
    void stop(trace::stop_reason why);

    /// Returns: true if there are processes whose end has not come.
    [[nodiscard]] bool has_running() const noexcept;
    /// Effects: adds the descriptors that can be read when a process has ended.
    void add_ends(std::vector<pollfd>& to) const;
    [[nodiscard]] const result& told() const noexcept { return result_; }

private:
    struct recorded;
    void find_parts();
    /// Returns: true if the process executed another program, and has another part.
    [[nodiscard]] bool has_others_of(std::uint32_t process) const noexcept;
    [[nodiscard]] bool has_begun(recorded& which);
    void count_back_programs();
    [[nodiscard]] recorded* executor_of(const recorded& program) const noexcept;
    void end_without_event(recorded& which);
    [[nodiscard]] std::size_t number_in_trace(const recorded& which);
    void add_chunk(const recorded& which, std::span<const std::byte> records);
    void end(recorded& which, int status, std::uint64_t cpu_time = 0);
    void end_those_that_ended(std::uint32_t but);
    void forget_ended();
    void look_at_disk();
    bool make_room();
    void give_back_chunks();
    void fail(const std::string& why);

    parts_folder* folder_;
    std::unique_ptr<trace::writer> to_;
    trace::process started_;            ///< by the collector
    std::vector<trace::process> known_; ///< processes that an earlier collector began
    clock_pair began_;
    disk_reserve reserve_;
    std::vector<std::unique_ptr<recorded>> parts_;
    std::set<std::string> seen_;
    trace::stop_reason stopped_ = trace::stop_reason::none;
    result result_;
};

} // namespace mallard::collect
