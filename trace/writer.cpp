#include "trace/writer.hpp"

#include "trace/chunk/chunk_parser.hpp"
#include "trace/context_tree.hpp"
#include "trace/contexts/context_coder.hpp"
#include "trace/encode/event_encoder.hpp"
#include "trace/file/crc32.hpp"
#include "trace/file/frame.hpp"
#include "trace/file/output.hpp"
#include "trace/file/packed.hpp"
#include "trace/file/process_facts.hpp"
#include "trace/read/frame_table.hpp"
#include "trace/read/input.hpp"
#include "trace/read/thread_cursor.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace mallard::trace {

namespace {

// Events wait until a frame of a thread is full, or until so many wait altogether.
constexpr std::size_t events_of_frame = most_in_frame;
constexpr std::size_t events_of_thread = 1U << 13;
constexpr std::size_t most_waiting = std::size_t{1} << 19;
constexpr std::size_t most_contexts = most_in_frame / 4;
constexpr std::uint32_t most_news_waiting = 1U << 16;

struct waiting_thread {
    large_vector<event> events;
    std::array<std::uint32_t, stack_ends> by_end{};
    context_id context_before = 0; ///< of the last event that was written
};

} // namespace

struct writer::state {
    struct recorded_process;

    state(const std::filesystem::path& path, options asked, std::uint64_t keep_bytes = 0)
        : file(path, asked.make_room, keep_bytes), how(asked), pack(asked.compression_level) {}

    void write_frame(frame_head head, const byte_writer& prologue, std::span<const byte_writer> columns);
    void write_frame(frame_head head, const byte_writer& body) { write_frame(head, body, {}); }
    process redacted(process about) const;

    output file;
    options how;
    packer pack;
    event_encoder encoder;
    large_vector<event> spare; ///< memory of events that were written
    std::vector<std::unique_ptr<recorded_process>> processes;
    std::uint64_t events = 0;
    std::uint64_t damaged_chunks = 0;
};

/// A process whose end has not come.
struct writer::state::recorded_process final : chunk_sink {
    recorded_process(state& of, std::uint32_t which) : all(of), number(which) {}

    void take(const event& found, stack_end end) override;
    void took(std::uint32_t thread, std::uint64_t inside, std::uint64_t by_recorder) override;
    void take(code_file&& file) override;
    void take(named_number&& name) override;

    [[nodiscard]] bool is_written(const event& found) const;
    waiting_thread& of_thread(std::uint32_t thread);
    void go_on(const input& file, frame_table::process_content& written);
    void write_news();
    void write_events(std::uint32_t thread, waiting_thread& of);
    void write_all_events();
    void write_longest();

    state& all;
    std::uint32_t number;
    known_contexts contexts;
    chunk_parser parser{contexts};
    context_encoder context_coder;
    std::size_t written_contexts = stack_ends;
    std::map<std::uint32_t, waiting_thread> threads;
    waiting_thread* last_thread = nullptr;
    std::uint32_t last_number = 0;
    std::size_t waiting = 0;
    std::map<std::uint32_t, std::uint64_t>
        written_until; ///< ticks, by thread, of a file that is gone on with
    byte_writer code;
    byte_writer names;
    std::uint32_t code_count = 0;
    std::uint32_t name_count = 0;
};

void writer::state::recorded_process::take(const event& found, stack_end end) {
    waiting_thread& thread = of_thread(found.thread);
    if (!written_until.empty() && is_written(found)) {
        return;
    }
    if (thread.events.size() == events_of_frame) {
        write_events(found.thread, thread);
    }
    if (thread.events.capacity() == 0) {
        thread.events.swap(all.spare);
    }
    // Many events become a whole frame. Its memory is asked for at once, and filled as they come: growth would copy it.
    if (thread.events.size() == thread.events.capacity() && thread.events.size() >= events_of_thread) {
        thread.events.reserve(events_of_frame);
    }
    thread.events.push_back(found);
    ++waiting;
    if (has_stack(found.kind)) {
        if (!written_until.empty() && written_until.erase(found.thread) != 0) {
            // The chunk that came again may lack levels which the event before has in the file.
            event& first = thread.events.back();
            first.kept =
                std::min(first.kept, contexts.tree.common_levels(thread.context_before, first.context));
        }
        ++thread.by_end[static_cast<std::size_t>(end)];
        ++all.events;
    }
}

/// Returns: true if the file that is gone on with has the event.
bool writer::state::recorded_process::is_written(const event& found) const {
    const auto until = written_until.find(found.thread);
    return until != written_until.end() && found.ticks <= until->second;
}

waiting_thread& writer::state::recorded_process::of_thread(std::uint32_t thread) {
    if (last_thread == nullptr || last_number != thread) {
        last_thread = &threads[thread];
        last_number = thread;
    }
    return *last_thread;
}

void writer::state::recorded_process::took(std::uint32_t thread, std::uint64_t inside,
                                           std::uint64_t by_recorder) {
    large_vector<event>& events = of_thread(thread).events;
    if (events.empty()) {
        return;
    }
    events.back().ticks_inside = inside;
    events.back().ticks_recorder = by_recorder;
}

void writer::state::recorded_process::take(code_file&& file) {
    if (all.how.redact) {
        file.path.clear();
    }
    write_code_file(code, file);
    ++code_count;
}

void writer::state::recorded_process::take(named_number&& name) {
    write_name(names, name);
    ++name_count;
}

/// Effects: knows the part of the process that the file has. Each thing is coded by those before it.
void writer::state::recorded_process::go_on(const input& file, frame_table::process_content& written) {
    frame_memory memory(file);
    for (const auto& [thread, frames] : written.threads) {
        if (frames.empty()) {
            continue;
        }
        thread_cursor at(frames, written.contexts, thread);
        while (!at.at_end()) {
            if (at.events().empty()) {
                at.open(memory);
            } else {
                at.pass(at.events().size(), memory);
            }
        }
        threads[thread].context_before = at.last_context();
        written_until[thread] = frames.back().head.last_ticks;
        parser.pass_thread(thread);
    }
    contexts = std::move(written.contexts);
    while (written_contexts != contexts.tree.size()) {
        written_contexts += context_coder.encode(contexts, most_contexts);
    }
}

/// Effects: writes what events may name.
void writer::state::recorded_process::write_news() {
    frame_head head;
    head.process = number;
    while (written_contexts != contexts.tree.size()) {
        const std::size_t count = context_coder.encode(contexts, most_contexts);
        head.kind = frame_kind::contexts;
        head.count = static_cast<std::uint32_t>(count);
        all.write_frame(head, context_coder.prologue(), context_coder.columns());
        written_contexts += count;
    }
    if (code_count != 0) {
        head.kind = frame_kind::code;
        head.count = code_count;
        all.write_frame(head, code);
        code.clear();
        code_count = 0;
    }
    if (name_count != 0) {
        head.kind = frame_kind::names;
        head.count = name_count;
        all.write_frame(head, names);
        names.clear();
        name_count = 0;
    }
}

void writer::state::recorded_process::write_events(std::uint32_t thread, waiting_thread& of) {
    if (of.events.empty()) {
        return;
    }
    write_news();
    frame_head head;
    head.kind = frame_kind::events;
    head.process = number;
    head.thread = thread;
    head.count = static_cast<std::uint32_t>(of.events.size());
    head.first_ticks = of.events.front().ticks;
    head.last_ticks = of.events.back().ticks;
    head.events_by_end = of.by_end;
    all.encoder.encode(of.events, contexts, of.context_before);
    all.write_frame(head, all.encoder.prologue(), all.encoder.columns());
    const auto last = std::find_if(of.events.rbegin(), of.events.rend(),
                                   [](const event& each) { return has_stack(each.kind); });
    if (last != of.events.rend()) {
        of.context_before = last->context;
    }
    waiting -= of.events.size();
    of.events.clear();
    all.spare.swap(of.events);
    of.events = large_vector<event>();
    of.by_end = {};
}

void writer::state::recorded_process::write_all_events() {
    for (auto& [thread, of] : threads) {
        write_events(thread, of);
    }
}

void writer::state::recorded_process::write_longest() {
    const auto longest = std::max_element(threads.begin(), threads.end(), [](const auto& a, const auto& b) {
        return a.second.events.size() < b.second.events.size();
    });
    write_events(longest->first, longest->second);
}

void writer::state::write_frame(frame_head head, const byte_writer& prologue,
                                std::span<const byte_writer> columns) {
    std::size_t plain = prologue.size();
    for (const byte_writer& each : columns) {
        plain += each.size();
    }
    pack.begin(plain);
    pack.pack(prologue.bytes());
    for (const byte_writer& each : columns) {
        pack.pack(each.bytes());
    }
    const auto body = pack.end();
    head.plain_bytes = static_cast<std::uint32_t>(plain);
    head.body_bytes = static_cast<std::uint32_t>(body.size());
    head.body_sum = crc32(body);
    file.write(to_bytes(head));
    file.write(body);
}

process writer::state::redacted(process about) const {
    if (how.redact) {
        about.executable.clear();
        about.command.clear();
    }
    return about;
}

writer::writer(const std::filesystem::path& file, options how) : state_(std::make_unique<state>(file, how)) {
    state_->file.write(make_file_head());
}

writer::writer(std::unique_ptr<state> of) : state_(std::move(of)) {}

std::unique_ptr<writer> writer::resume(const std::filesystem::path& file, options how) {
    const input from(file);
    frame_table before(from);
    if (before.ended) {
        throw trace_error("the trace '" + file.string() + "' has its end, so nothing can be added to it");
    }
    auto made = std::make_unique<state>(file, how, from.bytes() - before.torn_bytes);
    for (std::size_t which = 0; which < before.processes.size(); ++which) {
        made->events += before.processes[which].events;
        auto& process = made->processes.emplace_back();
        if (!before.processes[which].torn) {
            continue;
        }
        process = std::make_unique<state::recorded_process>(*made, static_cast<std::uint32_t>(which));
        process->go_on(from, before.content[which]);
    }
    return std::unique_ptr<writer>(new writer(std::move(made)));
}

writer::~writer() = default;

std::size_t writer::add_process(const process& about) {
    const std::size_t which = state_->processes.size();
    state_->processes.push_back(
        std::make_unique<state::recorded_process>(*state_, static_cast<std::uint32_t>(which)));
    byte_writer body;
    write_process(body, state_->redacted(about));
    frame_head head;
    head.kind = frame_kind::process;
    head.process = static_cast<std::uint32_t>(which);
    head.count = 1;
    state_->write_frame(head, body);
    return which;
}

void writer::add_chunk(std::size_t which, std::span<const std::byte> records) {
    auto& to = *state_->processes.at(which);
    if (!to.parser.parse(records, to)) {
        ++state_->damaged_chunks;
    }
    if (to.code_count + to.name_count > most_news_waiting) {
        to.write_news();
    }
    while (to.waiting > most_waiting) {
        to.write_longest();
    }
}

void writer::end_process(std::size_t which, const process& about) {
    auto& ending = state_->processes.at(which);
    ending->write_all_events();
    ending->write_news();
    ending.reset();
    byte_writer body;
    write_process(body, state_->redacted(about));
    frame_head head;
    head.kind = frame_kind::process_end;
    head.process = static_cast<std::uint32_t>(which);
    head.count = 1;
    state_->write_frame(head, body);
}

void writer::set_level(int level) noexcept {
    state_->pack.set_level(level);
}

void writer::flush() {
    for (const auto& each : state_->processes) {
        if (each != nullptr) {
            each->write_all_events();
        }
    }
}

void writer::finish() {
    for (const auto& each : state_->processes) {
        if (each != nullptr) {
            each->write_all_events();
            each->write_news();
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
