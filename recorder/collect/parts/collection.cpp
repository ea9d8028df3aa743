#include "recorder/collect/parts/collection.hpp"

#include "trace/reader.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>

namespace mallard::collect {

namespace {

constexpr int status_unknown = -1;
// The trace is brought up to date when so many chunks, of all processes, wait for that.
constexpr std::size_t most_held = 64;
// More chunks that are full at one look: a program is faster than the collector, which then compresses less.
constexpr unsigned most_on_time = 8;

bool is_readable(int descriptor) noexcept {
    pollfd asked{descriptor, POLLIN, 0};
    return ::poll(&asked, 1, 0) > 0;
}

} // namespace

struct collection::recorded {
    explicit recorded(const parts_folder::part_name& name)
        : file(name.file), about(running_process(name.process)), program(name.program),
          end_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, name.process, 0))),
          was_gone(end_descriptor < 0 && errno == ESRCH) {}
    recorded(const recorded&) = delete;
    recorded& operator=(const recorded&) = delete;
    ~recorded() {
        if (end_descriptor >= 0) {
            ::close(end_descriptor);
        }
    }

    [[nodiscard]] bool has_ended() const noexcept {
        if (end_descriptor >= 0) {
            return is_readable(end_descriptor);
        }
        return was_gone || (::kill(static_cast<pid_t>(about.number), 0) != 0 && errno == ESRCH);
    }

    part file;
    trace::process about;
    std::uint32_t program;
    int end_descriptor;
    bool was_gone;                     ///< before the part was found
    bool is_program = false;           ///< from its start; else it may be the child of a fork
    bool is_done = false;              ///< all its records were handed on
    std::optional<std::size_t> number; ///< in the trace, once the part is ready
};

collection::collection(parts_folder& folder, bool redact)
    : folder_(&folder), began_(clock_pair::now()), reserve_(folder.path()) {
    const trace::writer::options how{.redact = redact, .make_room = [this] { return make_room(); }};
    if (!std::filesystem::exists(folder.trace())) {
        to_ = std::make_unique<trace::writer>(folder.trace(), how);
        return;
    }
    known_ = trace::reader(folder.trace()).processes();
    to_ = trace::writer::resume(folder.trace(), how);
    result_.processes = known_.size();
}

collection::~collection() = default;

void collection::find_parts() {
    for (const auto& name : folder_->parts()) {
        if (!seen_.insert(name.file.filename().string()).second) {
            continue;
        }
        trace::process& about = parts_.emplace_back(std::make_unique<recorded>(name))->about;
        // The process may end between the readings of the one and of the other.
        const bool is_known = !about.executable.empty() && !about.command.empty();
        if (!is_known && about.number == started_.number && !has_others_of(about.number)) {
            about.executable = started_.executable;
            about.command = started_.command;
        }
    }
}

bool collection::has_others_of(std::uint32_t process) const noexcept {
    return std::ranges::count_if(parts_, [&](const auto& each) { return each->about.number == process; }) > 1;
}

bool collection::has_begun(recorded& which) {
    if (which.number) {
        return true;
    }
    if (!which.file.is_ready()) {
        return false;
    }
    add_header(which.about, which.file.header());
    which.about.ticks_per_second = ticks_per_second(which.file.header(), began_);
    which.number = number_in_trace(which);
    if (stopped_ != trace::stop_reason::none) {
        which.file.stop(stopped_);
    }
    return true;
}

void collection::count_back_programs() {
    for (auto& each : parts_) {
        if (each->is_program || !each->file.has_header() ||
            each->file.header().counted_as_not_followed.exchange(0) == 0) {
            continue;
        }
        each->is_program = true;
        recorded* const executor = executor_of(*each);
        if (executor != nullptr && executor->file.header().programs_not_followed != 0) {
            --executor->file.header().programs_not_followed;
        } else if (started_.number != 0 && each->about.number != started_.number) {
            ++result_.programs_found_late;
        }
    }
}

/// Returns: the process itself as another program, else its parent; null if that is not recorded, or has ended.
collection::recorded* collection::executor_of(const recorded& program) const noexcept {
    recorded* found = nullptr;
    for (const auto& each : parts_) {
        const bool is_before = each->about.number == program.about.number && each->program < program.program;
        const bool is_parent = program.program == 0 && each->about.number == program.file.header().parent;
        if ((is_before || is_parent) && each->file.has_header() && !each->is_done &&
            (found == nullptr || each->program > found->program)) {
            found = each.get();
        }
    }
    return found;
}

/// A process that executed another program has two parts, which began at different times.
std::size_t collection::number_in_trace(const recorded& which) {
    const auto known = std::ranges::find_if(known_, [&](const trace::process& each) {
        return each.number == which.about.number && each.first_ticks == which.about.first_ticks;
    });
    if (known == known_.end()) {
        ++result_.processes;
        return to_->add_process(which.about);
    }
    return static_cast<std::size_t>(known - known_.begin());
}

void collection::add_chunk(const recorded& which, std::span<const std::byte> records) {
    to_->add_chunk(*which.number, records);
}

unsigned collection::collect(std::uint32_t but) {
    if (!result_.failed.empty()) {
        return 0;
    }
    unsigned count = 0;
    try {
        if (folder_->has_news()) {
            find_parts();
        }
        look_at_disk();
        count_back_programs();
        for (auto& each : parts_) {
            if (has_begun(*each)) {
                count += each->file.take_full([&](auto records) { add_chunk(*each, records); });
            }
        }
        to_->set_level(count > most_on_time ? trace::writer::quick_level : trace::writer::usual_level);
        give_back_chunks();
        end_those_that_ended(but);
        forget_ended();
    } catch (const trace::trace_error& error) {
        fail(error.what());
    }
    return count;
}

/// The time is that of the process, 0 if it is not known: then it is what the process has noted.
void collection::end(recorded& which, int status, std::uint64_t cpu_time) {
    which.is_done = true;
    if (!has_begun(which)) {
        end_without_event(which);
        return;
    }
    which.file.take_all([&](auto records) { add_chunk(which, records); });
    if (stopped_ == trace::stop_reason::disk_full) {
        which.file.give_back(part::chunk_memory::keep_none);
    }
    if (!which.was_gone) {
        which.about.last_ticks = clock_pair::now().ticks;
    }
    which.about.exit_status = status;
    which.about.cpu_nanoseconds = collect::cpu_time(which.file.header(), cpu_time);
    add_header(which.about, which.file.header());
    which.about.threads = which.file.header().threads;
    result_.events_of_unknown_threads += which.file.header().events_of_unknown_threads;
    which.about.ticks_per_second = ticks_per_second(which.file.header(), began_);
    to_->end_process(*which.number, which.about);
    which.file.remove();
}

/// The process never had a chunk.
void collection::end_without_event(recorded& which) {
    if (which.file.has_header()) {
        add_header(which.about, which.file.header());
        result_.forks_not_followed += which.about.forks_not_followed;
        result_.programs_not_followed += which.about.programs_not_followed;
    }
    if (which.is_program && which.about.number != started_.number && !which.about.executable.empty()) {
        result_.programs_without_event.push_back(which.about.executable);
    }
    which.file.remove();
}

void collection::end_those_that_ended(std::uint32_t but) {
    std::set<std::uint32_t> ended;
    for (const auto& each : parts_) {
        if (each->about.number != but && each->has_ended()) {
            ended.insert(each->about.number);
        }
    }
    if (ended.empty()) {
        return;
    }
    find_parts(); // of programs that these processes became meanwhile
    count_back_programs();
    for (auto& each : parts_) {
        if (ended.contains(each->about.number)) {
            end(*each, status_unknown);
        }
    }
}

void collection::forget_ended() {
    // Another process may get the number, and then its part has the name.
    for (const auto& each : parts_) {
        if (each->is_done) {
            seen_.erase(each->file.path().filename().string());
        }
    }
    std::erase_if(parts_, [](const auto& each) { return each->is_done; });
}

void collection::end(std::uint32_t process, int status, std::uint64_t cpu_time) {
    if (!result_.failed.empty()) {
        return;
    }
    try {
        find_parts();
        count_back_programs();
        std::uint32_t last = 0;
        for (const auto& each : parts_) {
            if (each->about.number == process) {
                last = std::max(last, each->program);
            }
        }
        for (auto& each : parts_) {
            if (each->about.number == process) {
                const bool is_last = each->program == last;
                end(*each, is_last ? status : status_unknown, is_last ? cpu_time : 0);
            }
        }
        forget_ended();
    } catch (const trace::trace_error& error) {
        fail(error.what());
    }
}

void collection::end_all() {
    if (!result_.failed.empty()) {
        return;
    }
    try {
        find_parts();
        count_back_programs();
        for (auto& each : parts_) {
            end(*each, status_unknown);
        }
        parts_.clear();
    } catch (const trace::trace_error& error) {
        fail(error.what());
    }
}

void collection::finish() {
    if (!result_.failed.empty()) {
        return;
    }
    try {
        to_->finish();
        result_.damaged = to_->damaged_chunks();
    } catch (const trace::trace_error& error) {
        fail(error.what());
    }
}

void collection::stop(trace::stop_reason why) {
    if (stopped_ == trace::stop_reason::none) {
        stopped_ = why;
    }
    for (auto& each : parts_) {
        if (each->number) {
            each->file.stop(why);
        }
    }
}

void collection::look_at_disk() {
    const bool full = std::ranges::any_of(parts_, [](const auto& each) {
        return each->number && each->file.header().stopped == trace::stop_reason::disk_full;
    });
    if (full) {
        make_room();
    }
}

/// A disk that is full ends the recording of all processes. The rest of the trace has the room that was kept for it, and that of
/// the chunks, whose events are in memory: if the collector is ended now, these are lost.
bool collection::make_room() {
    stop(trace::stop_reason::disk_full);
    for (auto& each : parts_) {
        each->file.give_back(part::chunk_memory::keep_none);
    }
    return reserve_.release();
}

void collection::give_back_chunks() {
    const bool full = stopped_ == trace::stop_reason::disk_full;
    std::size_t held = 0;
    for (const auto& each : parts_) {
        held += each->file.held();
    }
    if (held == 0 || (held < most_held && !full)) {
        return;
    }
    if (!full) {
        to_->flush();
    }
    for (auto& each : parts_) {
        each->file.give_back(full ? part::chunk_memory::keep_none : part::chunk_memory::keep_some);
    }
}

void collection::fail(const std::string& why) {
    result_.failed = why;
    stop(trace::stop_reason::disk_full);
}

bool collection::has_running() const noexcept {
    return !parts_.empty() && result_.failed.empty();
}

void collection::add_ends(std::vector<pollfd>& to) const {
    for (const auto& each : parts_) {
        if (each->end_descriptor >= 0) {
            to.push_back({each->end_descriptor, POLLIN, 0});
        }
    }
}

} // namespace mallard::collect
