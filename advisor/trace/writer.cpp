#include "trace/writer.hpp"

#include "trace/chunk/chunk_parser.hpp"
#include "trace/context_tree.hpp"
#include "trace/encode/context_coder.hpp"
#include "trace/encode/event_coder.hpp"
#include "trace/file/frame.hpp"
#include "trace/file/packed.hpp"
#include "trace/file/process_facts.hpp"
#include "trace/read/frame_table.hpp"
#include "trace/read/input.hpp"
#include "trace/read/thread_cursor.hpp"
#include "trace/trace_error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace mallard::trace {

namespace {

/// The file of a writer.
class output {
public:
    /// Effects: creates the file, or truncates it to `keep_bytes`. `make_room` is called when the disk is full; if it returns
    /// true, the write is retried.
    /// Throws: trace_error if that fails.
    explicit output(const std::filesystem::path& file, std::function<bool()> make_room = {},
                    std::uint64_t keep_bytes = 0);
    output(const output&) = delete;
    output& operator=(const output&) = delete;
    ~output();

    /// Throws: trace_error on an error.
    void write(std::span<const std::byte> bytes);
    /// Effects: closes the file.
    /// Throws: trace_error if the system reports a delayed error.
    void close();

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

private:
    [[noreturn]] void fail(const char* problem, int error) const;

    std::string name_;
    std::function<bool()> make_room_;
    int file_ = -1;
    std::uint64_t bytes_ = 0;
};

output::output(const std::filesystem::path& file, std::function<bool()> make_room, std::uint64_t keep_bytes)
    : name_(file.string()), make_room_(std::move(make_room)), bytes_(keep_bytes) {
    file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) {
        fail("cannot create the trace", errno);
    }
    const auto keep = static_cast<off_t>(keep_bytes);
    if (::ftruncate(file_, keep) != 0 || ::lseek(file_, keep, SEEK_SET) != keep) {
        fail("cannot write the trace", errno);
    }
}

output::~output() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

void output::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0 && (errno == ENOSPC || errno == EDQUOT) && make_room_ && make_room_()) {
            continue;
        }
        if (written < 0) {
            fail("cannot write the trace", errno);
        }
        bytes_ += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void output::close() {
    const int file = file_;
    file_ = -1;
    if (file >= 0 && ::close(file) != 0 && errno != EINTR) {
        fail("cannot write the trace", errno);
    }
}

void output::fail(const char* problem, int error) const {
    throw trace_error(std::string(problem) + " '" + name_ + "': " + std::generic_category().message(error) +
                      "; give another name or free some space");
}

// Events are held until a thread's frame is full, or until this many are held in total.
constexpr std::size_t events_per_frame = most_in_frame;
constexpr std::size_t first_reserve = 1U << 13;
constexpr std::size_t most_waiting = std::size_t{1} << 19;
constexpr std::size_t most_contexts = most_in_frame / 4;
constexpr std::uint32_t most_waiting_entries = 1U << 16;

struct waiting_thread {
    large_vector<event> events;
    std::array<std::uint32_t, stack_ends> by_end{};
    context_id previous_context = 0; ///< of the last event written
};

} // namespace

struct writer::state {
    struct recorded_process;

    state(const std::filesystem::path& path, const options& source, std::uint64_t keep_bytes = 0)
        : file(path, source.make_room, keep_bytes), settings(source), pack(source.compression_level) {}

    void write_frame(frame_head head, const byte_writer& prologue, std::span<const byte_writer> columns);
    void write_frame(frame_head head, const byte_writer& body) { write_frame(head, body, {}); }
    [[nodiscard]] process redacted(process facts) const;

    output file;
    options settings;
    packer pack;
    event_encoder encoder;
    large_vector<event> spare; ///< memory of written events, for reuse
    std::vector<std::unique_ptr<recorded_process>> processes;
    std::uint64_t events = 0;
    std::uint64_t damaged_chunks = 0;
};

/// A process that has not ended.
struct writer::state::recorded_process final : chunk_sink {
    recorded_process(state& writer_state, std::uint32_t index) : owner(writer_state), number(index) {}

    void take(const event& added, stack_end end) override;
    void take_ticks(std::uint32_t thread, std::uint64_t inside, std::uint64_t by_recorder) override;
    void take(code_file&& loaded) override;
    void take(named_number&& name) override;

    [[nodiscard]] bool is_written(const event& added) const;
    waiting_thread& find_thread(std::uint32_t thread);
    void resume(const input& source, frame_table::process_content& written);
    void write_tables();
    void write_memory_frame(frame_head head);
    void write_events(std::uint32_t thread, waiting_thread& pending);
    void write_all_events();
    void write_longest();

    state& owner;
    std::uint32_t number;
    context_tree contexts;
    chunk_parser parser{contexts};
    context_encoder context_coder;
    std::map<std::uint32_t, waiting_thread> threads;
    waiting_thread* last_thread = nullptr;
    std::uint32_t last_number = 0;
    std::size_t waiting = 0;
    std::map<std::uint32_t, std::uint64_t> written_until; ///< last ticks by thread, of a file that is resumed
    byte_writer code;
    byte_writer names;
    std::uint32_t code_count = 0;
    std::uint32_t name_count = 0;
    std::vector<memory_sample> samples;
};

void writer::state::recorded_process::take(const event& added, stack_end end) {
    waiting_thread& thread = find_thread(added.thread);
    if (!written_until.empty() && is_written(added)) {
        return;
    }
    if (thread.events.size() == events_per_frame) {
        write_events(added.thread, thread);
    }
    if (thread.events.capacity() == 0) {
        thread.events.swap(owner.spare);
    }
    // Many events will fill a frame. Its memory is reserved at once and touched as they arrive: growth would copy them.
    if (thread.events.size() == thread.events.capacity() && thread.events.size() >= first_reserve) {
        thread.events.reserve(events_per_frame);
    }
    thread.events.push_back(added);
    ++waiting;
    if (has_stack(added.kind)) {
        ++thread.by_end[static_cast<std::size_t>(end)];
        ++owner.events;
    }
}

/// Returns: true if the resumed file has the event.
bool writer::state::recorded_process::is_written(const event& added) const {
    const auto until = written_until.find(added.thread);
    return until != written_until.end() && added.ticks <= until->second;
}

waiting_thread& writer::state::recorded_process::find_thread(std::uint32_t thread) {
    if (last_thread == nullptr || last_number != thread) {
        last_thread = &threads[thread];
        last_number = thread;
    }
    return *last_thread;
}

void writer::state::recorded_process::take_ticks(std::uint32_t thread, std::uint64_t inside,
                                                 std::uint64_t by_recorder) {
    large_vector<event>& pending = find_thread(thread).events;
    if (pending.empty()) {
        return;
    }
    pending.back().ticks_inside = inside;
    pending.back().ticks_recorder = by_recorder;
}

void writer::state::recorded_process::take(code_file&& loaded) {
    if (owner.settings.redact) {
        loaded.path.clear();
    }
    write_code_file(code, loaded);
    ++code_count;
}

void writer::state::recorded_process::take(named_number&& name) {
    write_name(names, name);
    ++name_count;
}

/// Effects: loads the state of the process from the file. Everything is coded relative to its predecessors.
void writer::state::recorded_process::resume(const input& source, frame_table::process_content& written) {
    frame_memory memory(source);
    for (const auto& [thread, frames] : written.threads) {
        if (frames.empty()) {
            continue;
        }
        thread_cursor cursor(frames, written.contexts, thread);
        while (!cursor.at_end()) {
            if (cursor.events().empty()) {
                cursor.open(memory);
            } else {
                cursor.pass(cursor.events().size(), memory);
            }
        }
        threads[thread].previous_context = cursor.last_context();
        written_until[thread] = frames.back().head.last_ticks;
        parser.pass_thread(thread);
    }
    contexts = std::move(written.contexts);
    context_coder.skip(contexts);
}

/// Effects: writes the tables that events refer to.
void writer::state::recorded_process::write_tables() {
    frame_head head;
    head.process = number;
    while (!context_coder.is_done(contexts)) {
        head.kind = frame_kind::contexts;
        head.count = static_cast<std::uint32_t>(context_coder.encode(contexts, most_contexts));
        owner.write_frame(head, context_coder.prologue(), context_coder.columns());
    }
    if (code_count != 0) {
        head.kind = frame_kind::code;
        head.count = code_count;
        owner.write_frame(head, code);
        code.clear();
        code_count = 0;
    }
    if (name_count != 0) {
        head.kind = frame_kind::names;
        head.count = name_count;
        owner.write_frame(head, names);
        names.clear();
        name_count = 0;
    }
    if (!samples.empty()) {
        write_memory_frame(head);
    }
}

void writer::state::recorded_process::write_memory_frame(frame_head head) {
    head.kind = frame_kind::memory;
    head.count = static_cast<std::uint32_t>(samples.size());
    head.first_ticks = samples.front().ticks;
    head.last_ticks = samples.back().ticks;
    byte_writer body;
    std::uint64_t last_ticks = head.first_ticks;
    for (const memory_sample& sample : samples) {
        write_memory(body, sample, last_ticks);
        last_ticks = sample.ticks;
    }
    owner.write_frame(head, body);
    samples.clear();
}

void writer::state::recorded_process::write_events(std::uint32_t thread, waiting_thread& pending) {
    if (pending.events.empty()) {
        return;
    }
    write_tables();
    frame_head head;
    head.kind = frame_kind::events;
    head.process = number;
    head.thread = thread;
    head.count = static_cast<std::uint32_t>(pending.events.size());
    head.first_ticks = pending.events.front().ticks;
    head.last_ticks = pending.events.back().ticks;
    head.events_by_end = pending.by_end;
    owner.encoder.encode(pending.events, contexts, pending.previous_context);
    owner.write_frame(head, owner.encoder.prologue(), owner.encoder.columns());
    const auto newest_first = pending.events | std::views::reverse;
    const auto last =
        std::ranges::find_if(newest_first, [](const event& candidate) { return has_stack(candidate.kind); });
    if (last != newest_first.end()) {
        pending.previous_context = last->context;
    }
    waiting -= pending.events.size();
    pending.events.clear();
    owner.spare.swap(pending.events);
    pending.events = large_vector<event>();
    pending.by_end = {};
}

void writer::state::recorded_process::write_all_events() {
    for (auto& [thread, pending] : threads) {
        write_events(thread, pending);
    }
}

void writer::state::recorded_process::write_longest() {
    const auto longest = std::ranges::max_element(threads, [](const auto& a, const auto& b) {
        return a.second.events.size() < b.second.events.size();
    });
    write_events(longest->first, longest->second);
}

void writer::state::write_frame(frame_head head, const byte_writer& prologue,
                                std::span<const byte_writer> columns) {
    std::size_t plain = prologue.size();
    for (const byte_writer& column : columns) {
        plain += column.size();
    }
    pack.begin(plain);
    pack.pack(prologue.bytes());
    for (const byte_writer& column : columns) {
        pack.pack(column.bytes());
    }
    const auto body = pack.end();
    head.plain_bytes = static_cast<std::uint32_t>(plain);
    head.body_bytes = static_cast<std::uint32_t>(body.size());
    file.write(to_bytes(head));
    file.write(body);
}

process writer::state::redacted(process facts) const {
    if (settings.redact) {
        facts.executable.clear();
        facts.command.clear();
    }
    return facts;
}

writer::writer(const std::filesystem::path& file, const options& settings)
    : state_(std::make_unique<state>(file, settings)) {
    state_->file.write(make_file_head());
}

writer::writer(std::unique_ptr<state> initial) : state_(std::move(initial)) {}

std::unique_ptr<writer> writer::resume(const std::filesystem::path& file, const options& settings) {
    const input from(file);
    frame_table table(from);
    if (table.ended) {
        throw trace_error("the trace '" + file.string() + "' is complete, so nothing can be added to it");
    }
    auto result = std::make_unique<state>(file, settings, from.bytes() - table.torn_bytes);
    for (std::size_t index = 0; index < table.processes.size(); ++index) {
        result->events += table.processes[index].events;
        auto& process = result->processes.emplace_back();
        if (!table.processes[index].torn) {
            continue;
        }
        process = std::make_unique<state::recorded_process>(*result, static_cast<std::uint32_t>(index));
        process->resume(from, table.content[index]);
    }
    return std::unique_ptr<writer>(new writer(std::move(result)));
}

writer::~writer() = default;

std::size_t writer::add_process(const process& facts) {
    const std::size_t index = state_->processes.size();
    state_->processes.push_back(
        std::make_unique<state::recorded_process>(*state_, static_cast<std::uint32_t>(index)));
    byte_writer body;
    write_process(body, state_->redacted(facts));
    frame_head head;
    head.kind = frame_kind::process;
    head.process = static_cast<std::uint32_t>(index);
    head.count = 1;
    state_->write_frame(head, body);
    return index;
}

void writer::add_chunk(std::size_t index, std::span<const std::byte> records) {
    auto& to = *state_->processes.at(index);
    if (!to.parser.parse(records, to)) {
        ++state_->damaged_chunks;
    }
    if (to.code_count + to.name_count > most_waiting_entries) {
        to.write_tables();
    }
    while (to.waiting > most_waiting) {
        to.write_longest();
    }
}

void writer::add_memory(std::size_t index, const memory_sample& sample) {
    auto& to = *state_->processes.at(index);
    if (to.samples.empty() || to.samples.back().ticks <= sample.ticks) {
        to.samples.push_back(sample);
    }
    if (to.samples.size() == most_waiting_entries) {
        to.write_tables();
    }
}

void writer::end_process(std::size_t index, const process& facts) {
    auto& ending = state_->processes.at(index);
    ending->write_all_events();
    ending->write_tables();
    ending.reset();
    byte_writer body;
    write_process(body, state_->redacted(facts));
    frame_head head;
    head.kind = frame_kind::process_end;
    head.process = static_cast<std::uint32_t>(index);
    head.count = 1;
    state_->write_frame(head, body);
}

void writer::set_level(int level) noexcept {
    state_->pack.set_level(level);
}

void writer::flush() {
    for (const auto& process : state_->processes) {
        if (process != nullptr) {
            process->write_all_events();
        }
    }
}

void writer::finish() {
    for (const auto& process : state_->processes) {
        if (process != nullptr) {
            process->write_all_events();
            process->write_tables();
        }
    }
    state_->write_frame(frame_head{}, byte_writer());
    state_->file.close();
}

std::uint64_t writer::events() const noexcept {
    return state_->events;
}

std::uint64_t writer::bytes() const noexcept {
    return state_->file.bytes();
}

std::uint64_t writer::damaged_chunks() const noexcept {
    return state_->damaged_chunks;
}

} // namespace mallard::trace
