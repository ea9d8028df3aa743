#include "collector/parts/collection.hpp"

#include "collector/failure.hpp"
#include "trace/reader.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <optional>

namespace mallard::collector {

namespace {

constexpr int status_unknown = -1;
// The trace is flushed when this many chunks, of all processes, wait for it.
constexpr std::size_t most_held = 64;
// More full chunks in one pass: a program is faster than the collector, which then compresses less.
constexpr unsigned most_on_time = 8;
// The compressed events have at most about a quarter of the bytes of their records.
constexpr std::uint64_t records_per_trace_byte = 4;

// A sample takes some microseconds of the collector.
constexpr auto between_samples = std::chrono::milliseconds(2);

bool is_readable(int descriptor) noexcept {
    pollfd query{descriptor, POLLIN, 0};
    return ::poll(&query, 1, 0) > 0;
}

} // namespace

struct collection::recorded_process {
    explicit recorded_process(const parts_folder::part_name& name)
        : file(name.file), facts(running_process(name.process)), program(name.program),
          end_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, name.process, 0))),
          had_exited(name.process == 0 || (end_descriptor < 0 && errno == ESRCH)) {}
    recorded_process(const recorded_process&) = delete;
    recorded_process& operator=(const recorded_process&) = delete;
    ~recorded_process() {
        if (end_descriptor >= 0) {
            ::close(end_descriptor);
        }
    }

    [[nodiscard]] bool has_ended() const noexcept {
        if (end_descriptor >= 0) {
            return is_readable(end_descriptor);
        }
        return had_exited || (::kill(static_cast<pid_t>(facts.number), 0) != 0 && errno == ESRCH);
    }

    part file;
    trace::process facts;
    std::uint32_t program;
    int end_descriptor;
    bool had_exited;                   ///< before the part was discovered
    bool is_program = false;           ///< since its start; else possibly the child of a fork
    bool is_done = false;              ///< all records were delivered
    std::optional<std::size_t> number; ///< index in the trace, once the part is ready
};

collection::collection(parts_folder& folder, bool redact)
    : folder_(&folder), began_(clock_pair::read()), reserve_(folder.path()) {
    result_.is_idle = folder.is_idle();
    const trace::writer::options options{.redact = redact, .make_room = [this] { return make_room(); }};
    if (!std::filesystem::exists(folder.trace())) {
        to_ = std::make_unique<trace::writer>(folder.trace(), options);
        return;
    }
    known_ = trace::reader(folder.trace()).processes();
    to_ = trace::writer::resume(folder.trace(), options);
    result_.processes = known_.size();
}

collection::~collection() = default;

void collection::find_parts() {
    for (auto name : folder_->parts()) {
        if (!seen_.insert(name.file.filename().string()).second) {
            continue;
        }
        name.process = folder_->find_process(name);
        trace::process& facts = parts_.emplace_back(std::make_unique<recorded_process>(name))->facts;
        // The process may exit between the two reads of /proc.
        const bool is_known = !facts.executable.empty() && !facts.command.empty();
        if (!is_known && facts.number == started_.number && !has_other_parts(facts.number)) {
            facts.executable = started_.executable;
            facts.command = started_.command;
        }
    }
}

/// A process may have seen the file of idle processes before it was removed, and open its part after that.
void collection::begin_parts() noexcept {
    for (auto& process : parts_) {
        if (!result_.is_idle && process->file.has_header()) {
            process->file.begin();
        }
    }
}

bool collection::has_other_parts(std::uint32_t process) const noexcept {
    return std::ranges::count_if(
               parts_, [&](const auto& candidate) { return candidate->facts.number == process; }) > 1;
}

bool collection::has_begun(recorded_process& process) {
    if (process.number) {
        return true;
    }
    if (!process.file.is_ready()) {
        return false;
    }
    add_header(process.facts, process.file.header());
    if (process.facts.command.empty() && process.facts.number == started_.number && process.program == 0) {
        process.facts.command = started_.command;
    }
    process.facts.ticks_per_second = ticks_per_second(process.file.header(), began_);
    process.number = number_in_trace(process);
    if (stopped_ != trace::stop_reason::none) {
        process.file.stop(stopped_);
    }
    return true;
}

/// A process that executed another program has the memory of that one.
void collection::sample_memory() {
    if (stopped_ != trace::stop_reason::none) {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now < next_sample_) {
        return;
    }
    next_sample_ = now + between_samples;
    for (const auto& process : parts_) {
        const auto number = process->number;
        if (!number || process->is_done || process->has_ended()) {
            continue;
        }
        const bool has_later_program = std::ranges::any_of(parts_, [&](const auto& candidate) {
            return candidate->facts.number == process->facts.number && candidate->program > process->program;
        });
        if (has_later_program) {
            continue;
        }
        if (const auto sample = collector::sample_memory(process->facts.number)) {
            to_->add_memory(*number, *sample);
        }
    }
}

void collection::uncount_programs() {
    for (auto& process : parts_) {
        if (process->is_program || !process->file.has_header() ||
            process->file.header().counted_as_not_followed.exchange(0) == 0) {
            continue;
        }
        process->is_program = true;
        recorded_process* const executor = find_executor(*process);
        if (executor != nullptr && executor->file.header().programs_not_followed != 0) {
            --executor->file.header().programs_not_followed;
        } else if (started_.number != 0 && process->facts.number != started_.number) {
            ++result_.late_programs;
        }
    }
}

/// Returns: the process itself, if it executed this program, else its parent; null if that is not recorded, or has exited.
collection::recorded_process* collection::find_executor(const recorded_process& program) const noexcept {
    recorded_process* executor = nullptr;
    for (const auto& candidate : parts_) {
        const bool is_predecessor =
            candidate->facts.number == program.facts.number && candidate->program < program.program;
        const bool is_parent =
            program.program == 0 && candidate->facts.number == program.file.header().parent;
        if ((is_predecessor || is_parent) && candidate->file.has_header() && !candidate->is_done &&
            (executor == nullptr || candidate->program > executor->program)) {
            executor = candidate.get();
        }
    }
    return executor;
}

/// A process that executed another program has two parts, with different start times.
std::size_t collection::number_in_trace(const recorded_process& process) {
    const auto known = std::ranges::find_if(known_, [&](const trace::process& candidate) {
        return candidate.number == process.facts.number && candidate.first_ticks == process.facts.first_ticks;
    });
    if (known == known_.end()) {
        ++result_.processes;
        return to_->add_process(process.facts);
    }
    return static_cast<std::size_t>(known - known_.begin());
}

void collection::add_chunk(const recorded_process& process, std::span<const std::byte> records) {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): has_begun() was true
    to_->add_chunk(*process.number, records);
    unflushed_bytes_ += records.size();
    if (unflushed_bytes_ >= most_bytes_) {
        to_->flush();
        unflushed_bytes_ = 0;
    }
    check_end();
}

/// Effects: calls `step`, unless an earlier one failed. An error ends the recording of all processes.
template <typename Step>
void collection::run_step(Step step) {
    if (!result_.failed.empty()) {
        return;
    }
    try {
        step();
    } catch (const std::exception& error) {
        fail(error_in_words(error));
    }
}

void collection::begin() {
    folder_->end_idle();
    result_.is_idle = false;
    run_step([&] {
        find_parts(); // the collector may have been asleep when a process started
        begin_parts();
    });
}

unsigned collection::collect(std::uint32_t except) {
    unsigned count = 0;
    run_step([&] {
        if (folder_->changed()) {
            find_parts();
        }
        begin_parts();
        check_disk();
        uncount_programs();
        for (auto& process : parts_) {
            if (has_begun(*process)) {
                count += process->file.take_full([&](auto records) { add_chunk(*process, records); });
            }
        }
        sample_memory();
        check_end();
        to_->set_level(count > most_on_time ? trace::writer::quick_level : trace::writer::default_level);
        release_chunks();
        end_exited(except);
        remove_ended();
    });
    return count;
}

/// `cpu_time` is that of the process; if it is 0, the value stored by the process counts.
void collection::end(recorded_process& process, int status, std::uint64_t cpu_time) {
    process.is_done = true;
    if (!has_begun(process)) {
        end_without_event(process);
        return;
    }
    process.file.take_all([&](auto records) { add_chunk(process, records); });
    if (stopped_ != trace::stop_reason::none) {
        // A process that goes on keeps the file mapped, and with it the memory.
        process.file.release(part::chunk_memory::keep_none);
    }
    if (!process.had_exited) {
        process.facts.last_ticks = end_ticks_ != 0 ? end_ticks_ : clock_pair::read().ticks;
    }
    process.facts.exit_status = status;
    process.facts.cpu_nanoseconds = collector::cpu_time(process.file.header(), cpu_time);
    add_header(process.facts, process.file.header());
    process.facts.threads = process.file.header().threads;
    result_.events_of_unknown_threads += process.file.header().events_of_unknown_threads;
    process.facts.ticks_per_second = ticks_per_second(process.file.header(), began_);
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): has_begun() was true
    to_->end_process(*process.number, process.facts);
    process.file.remove();
}

/// The process never had a chunk.
void collection::end_without_event(recorded_process& process) {
    if (process.file.has_header()) {
        add_header(process.facts, process.file.header());
        result_.forks_not_followed += process.facts.forks_not_followed;
        result_.programs_not_followed += process.facts.programs_not_followed;
        result_.events_of_unknown_threads += process.file.header().events_of_unknown_threads;
    }
    // The program that the collector started has a message of its own, unless it has executed this one.
    const bool is_started = process.facts.number == started_.number && process.program == 0;
    if (process.is_program && !is_started && !process.facts.executable.empty()) {
        result_.programs_without_event.push_back(process.facts.executable);
    }
    process.file.remove();
}

void collection::end_exited(std::uint32_t except) {
    std::set<std::uint32_t> ended;
    for (const auto& process : parts_) {
        if (process->facts.number != except && process->has_ended()) {
            ended.insert(process->facts.number);
        }
    }
    if (ended.empty()) {
        return;
    }
    find_parts(); // of programs that these processes executed meanwhile
    uncount_programs();
    for (auto& process : parts_) {
        if (ended.contains(process->facts.number)) {
            end(*process, status_unknown);
        }
    }
}

void collection::remove_ended() {
    // The process ID may be reused, and then the part's name as well.
    for (const auto& process : parts_) {
        if (process->is_done) {
            seen_.erase(process->file.path().filename().string());
        }
    }
    std::erase_if(parts_, [](const auto& process) { return process->is_done; });
}

void collection::end(std::uint32_t process, int status, std::uint64_t cpu_time) {
    run_step([&] {
        find_parts();
        uncount_programs();
        std::uint32_t last = 0;
        for (const auto& candidate : parts_) {
            if (candidate->facts.number == process) {
                last = std::max(last, candidate->program);
            }
        }
        for (auto& candidate : parts_) {
            if (candidate->facts.number == process) {
                const bool is_last = candidate->program == last;
                end(*candidate, is_last ? status : status_unknown, is_last ? cpu_time : 0);
            }
        }
        remove_ended();
    });
}

void collection::end_all() {
    run_step([&] {
        find_parts();
        uncount_programs();
        for (auto& process : parts_) {
            end(*process, status_unknown);
        }
        parts_.clear();
    });
}

void collection::end_at(std::chrono::steady_clock::time_point time, std::uint64_t bytes) noexcept {
    end_time_ = time;
    most_bytes_ = bytes;
}

/// Returns: the size of the trace with the events that are in memory or in chunks.
std::uint64_t collection::expected_bytes() const {
    std::uint64_t waiting = unflushed_bytes_;
    for (const auto& process : parts_) {
        if (process->number) {
            waiting += std::uint64_t{process->file.header().used_chunks} * trace::chunk_bytes;
        }
    }
    return to_->bytes() + waiting / records_per_trace_byte;
}

/// A program may fill chunks faster than they are compressed. So the end is checked after each chunk.
void collection::check_end() {
    if (!result_.ended_by.empty()) {
        return;
    }
    if (const std::string reason = asked_to_end_ ? asked_to_end_() : std::string{}; !reason.empty()) {
        end_now(reason);
        return;
    }
    if (stopped_ != trace::stop_reason::none) {
        return;
    }
    const bool is_late = std::chrono::steady_clock::now() >= end_time_;
    if (!is_late && expected_bytes() < most_bytes_) {
        return;
    }
    end_now(is_late ? "--for" : "--limit");
}

void collection::end_now(const std::string& reason) {
    result_.ended_by = reason;
    stop(trace::stop_reason::requested);
    for (auto& process : parts_) {
        if (process->number) {
            process->file.freeze();
        }
    }
    end_ticks_ = clock_pair::read().ticks;
}

void collection::finish() {
    run_step([&] {
        // Before the reserve is released, which the processes did not have.
        result_.is_disk_full = result_.processes == 0 && is_disk_full(folder_->path());
        to_->finish();
        result_.damaged = to_->damaged_chunks();
    });
}

void collection::stop(trace::stop_reason reason) {
    if (stopped_ == trace::stop_reason::none) {
        stopped_ = reason;
    }
    for (auto& process : parts_) {
        if (process->file.has_header()) {
            process->file.stop(reason);
        }
    }
}

void collection::check_disk() {
    const bool full = std::ranges::any_of(parts_, [](const auto& process) {
        return process->number && process->file.header().stopped == trace::stop_reason::disk_full;
    });
    if (full) {
        make_room();
    }
}

/// A full disk ends the recording of all processes. The remaining trace gets the reserved space and that of the
/// chunks, whose events are in memory: they are lost if the collector is killed now.
bool collection::make_room() {
    stop(trace::stop_reason::disk_full);
    for (auto& process : parts_) {
        process->file.release(part::chunk_memory::keep_none);
    }
    return reserve_.release();
}

void collection::release_chunks() {
    const bool full = stopped_ == trace::stop_reason::disk_full;
    std::size_t held = 0;
    for (const auto& process : parts_) {
        held += process->file.held();
    }
    if (held == 0 || (held < most_held && !full)) {
        return;
    }
    if (!full) {
        to_->flush();
        unflushed_bytes_ = 0;
    }
    for (auto& process : parts_) {
        process->file.release(full ? part::chunk_memory::keep_none : part::chunk_memory::keep_some);
    }
}

void collection::fail(const std::string& reason) {
    result_.failed = reason;
    stop(trace::stop_reason::disk_full);
}

bool collection::has_running() const noexcept {
    return !parts_.empty() && result_.failed.empty();
}

void collection::add_ends(std::vector<pollfd>& to) const {
    for (const auto& process : parts_) {
        if (process->end_descriptor >= 0) {
            to.push_back({process->end_descriptor, POLLIN, 0});
        }
    }
}

} // namespace mallard::collector
