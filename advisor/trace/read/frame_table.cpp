#include "trace/read/frame_table.hpp"

#include "trace/encode/context_coder.hpp"
#include "trace/file/process_facts.hpp"
#include "trace/trace_error.hpp"

#include <algorithm>

namespace mallard::trace {

std::span<const std::byte> read_body(const input& file, const frame_head& head, std::uint64_t offset,
                                     unpacker& unpack, std::vector<std::byte>& body,
                                     std::vector<std::byte>& plain) {
    body.resize(head.body_bytes);
    if (file.read(offset, body) != body.size()) {
        throw bad_bytes("the file was truncated");
    }
    unpack.unpack(body, head.plain_bytes, plain);
    return plain;
}

frame_table::frame_table(const input& file) : file_(file) {
    check_file_head();
    read_frames();
    if (!ended) {
        drop_damaged_end();
    }
    count_events();
}

void frame_table::check_file_head() {
    const auto refuse = [this](const std::string& problem) {
        throw trace_error("'" + file_.name() + "' " + problem + "; give a file written by 'mallard record'");
    };
    std::array<std::byte, file_head_bytes> head{};
    const auto expected = make_file_head();
    const std::size_t available = file_.read(0, head);
    if (available == 0) {
        refuse("is empty");
    }
    const std::size_t magic = std::min(available, file_magic.size());
    if (!std::equal(head.begin(), head.begin() + magic, expected.begin())) {
        refuse("is not a trace of mallard");
    }
    if (available < file_head_bytes) {
        refuse("is cut off after " + std::to_string(available) + " bytes, and has no events");
    }
    const std::uint32_t version = load_u32(head.data() + file_magic.size());
    if (version != file_version) {
        throw trace_error("the trace '" + file_.name() + "' has version " + std::to_string(version) +
                          ", and this program reads version " + std::to_string(file_version) +
                          "; use the mallard that recorded it, or record again");
    }
}

void frame_table::read_frames() {
    std::uint64_t place = file_head_bytes;
    frame_head_image image;
    while (!ended && file_.bytes() - place >= frame_head_bytes) {
        if (file_.read(place, image) != image.size()) {
            break;
        }
        const auto head = to_frame_head(image);
        const std::uint64_t body_place = place + frame_head_bytes;
        if (!head || head->body_bytes > file_.bytes() - body_place) {
            break;
        }
        try {
            read_frame(*head, body_place);
        } catch (const bad_bytes&) {
            // Events may refer to contents of this frame, so later frames cannot be read.
            break;
        }
        place = body_place + head->body_bytes;
    }
    torn_bytes = file_.bytes() - place;
}

void frame_table::read_frame(const frame_head& head, std::uint64_t body_place) {
    if (head.kind == frame_kind::end) {
        read_body(file_, head, body_place, unpack_, body_, plain_);
        ended = true;
        return;
    }
    if (head.kind == frame_kind::process ? head.process != processes.size()
                                         : head.process >= processes.size()) {
        throw bad_bytes("the frame belongs to an unknown process");
    }
    if (head.kind != frame_kind::process && !processes[head.process].torn) {
        throw bad_bytes("the frame follows the end of its process");
    }
    if (head.kind == frame_kind::events) {
        add_events(head, body_place);
        return;
    }
    count_unpacked(head);
    const auto body = read_body(file_, head, body_place, unpack_, body_, plain_);
    byte_reader from(body);
    if (head.kind == frame_kind::process) {
        processes.push_back(read_process(from));
        processes.back().torn = true;
        content.emplace_back();
        return;
    }
    process_content& to = content[head.process];
    const std::size_t first_sample = to.memory.size();
    switch (head.kind) {
    case frame_kind::contexts:
        decode_contexts(body, head.count, to.contexts);
        break;
    case frame_kind::code:
        for (std::uint32_t index = 0; index < head.count; ++index) {
            to.code.push_back(read_code_file(from));
        }
        break;
    case frame_kind::names:
        for (std::uint32_t index = 0; index < head.count; ++index) {
            named_number name = read_name(from);
            if (name.number >= to.names.size()) {
                to.names.resize(std::size_t{name.number} + 1);
            }
            to.names[name.number] = std::move(name.name);
        }
        break;
    case frame_kind::memory:
        for (std::uint64_t ticks = head.first_ticks; to.memory.size() != first_sample + head.count;) {
            to.memory.push_back(read_memory(from, ticks));
            ticks = to.memory.back().ticks;
        }
        break;
    case frame_kind::process_end:
        processes[head.process] = read_process(from);
        break;
    default:
        break;
    }
}

/// Effects: rejects a file that was crafted to exhaust memory. Recordings have a few bytes of stacks, code and names for each
/// byte of the file; zstd packs a thousand equal bytes into one.
void frame_table::count_unpacked(const frame_head& head) {
    constexpr std::uint64_t always_allowed = std::uint64_t{64} << 20;
    constexpr std::uint64_t most_ratio = 32;
    unpacked_ += head.plain_bytes;
    const std::uint64_t most = always_allowed + most_ratio * file_.bytes();
    if (unpacked_ > most) {
        throw trace_error("the trace '" + file_.name() + "' has more than " + std::to_string(most) +
                          " bytes of stacks, code and names in a file of " + std::to_string(file_.bytes()) +
                          " bytes, more than any recording has; record again");
    }
}

void frame_table::add_events(const frame_head& head, std::uint64_t body_place) {
    std::vector<event_frame>& frames = content[head.process].threads[head.thread];
    // An event has at least two bytes: its time and its kind.
    if (head.plain_bytes / 2 < head.count) {
        throw bad_bytes("the frame has more events than its bytes can hold");
    }
    if (head.count == 0 || (!frames.empty() && head.first_ticks < frames.back().head.last_ticks)) {
        throw bad_bytes("the events are not in order");
    }
    frames.push_back({head, body_place});
}

/// Effects: drops frames at the end of a torn file whose bodies did not reach the disk.
void frame_table::drop_damaged_end() {
    for (;;) {
        std::vector<event_frame>* last = nullptr;
        for (process_content& process : content) {
            for (auto& [thread, frames] : process.threads) {
                if (!frames.empty() &&
                    (last == nullptr || frames.back().body_place > last->back().body_place)) {
                    last = &frames;
                }
            }
        }
        if (last == nullptr) {
            return;
        }
        const event_frame& frame = last->back();
        try {
            read_body(file_, frame.head, frame.body_place, unpack_, body_, plain_);
            return;
        } catch (const bad_bytes&) {
            torn_bytes = file_.bytes() - (frame.body_place - frame_head_bytes);
            last->pop_back();
        }
    }
}

void frame_table::count_events() {
    for (std::size_t index = 0; index < processes.size(); ++index) {
        process& facts = processes[index];
        auto& threads = content[index].threads;
        std::erase_if(threads, [](const auto& thread) { return thread.second.empty(); });
        for (const auto& [thread, frames] : threads) {
            for (const event_frame& frame : frames) {
                for (std::size_t end = 0; end < stack_ends; ++end) {
                    facts.events += frame.head.events_by_end[end];
                    facts.events_by_end[end] += frame.head.events_by_end[end];
                }
                if (facts.torn) {
                    facts.last_ticks = std::max(facts.last_ticks, frame.head.last_ticks);
                }
            }
        }
        if (facts.torn) {
            facts.threads = static_cast<std::uint32_t>(threads.size());
        }
    }
}

} // namespace mallard::trace
