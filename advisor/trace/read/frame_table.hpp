/// The contents of a trace file except for the events, and the positions of the events.
///
/// Data model: the processes; for each its contexts, code and names, and for each of its threads the frames of events in
/// the order of time. Invariant: the frames' heads have been checked, the bodies of those with events have not.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/event.hpp"
#include "trace/file/frame.hpp"
#include "trace/file/packed.hpp"
#include "trace/read/input.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace mallard::trace {

/// A frame of events, and the offset of its body in the file.
struct event_frame {
    frame_head head;
    std::uint64_t body_place = 0;
};

class frame_table {
public:
    struct process_content {
        context_tree contexts;
        std::vector<code_file> code;
        std::vector<std::string> names;
        std::vector<memory_sample> memory;
        std::map<std::uint32_t, std::vector<event_frame>> threads;
    };

    /// Effects: reads the file up to its end, or up to the damage.
    /// Throws: trace_error if it is not a trace of a known version.
    explicit frame_table(const input& file);

    std::vector<process> processes;
    std::vector<process_content> content; ///< by process
    std::uint64_t torn_bytes = 0;
    bool ended = false; ///< the file has an end

private:
    void check_file_head();
    void read_frames();
    void read_frame(const frame_head& head, std::uint64_t body_place);
    void count_unpacked(const frame_head& head);
    void add_events(const frame_head& head, std::uint64_t body_place);
    void drop_damaged_end();
    void count_events();

    const input& file_;
    unpacker unpack_;
    std::uint64_t unpacked_ = 0; ///< bytes of all frames without events
    std::vector<std::byte> body_;
    std::vector<std::byte> plain_;
};

/// Returns: the body of the frame, which is in `plain`.
/// Throws: bad_bytes if it is damaged.
std::span<const std::byte> read_body(const input& file, const frame_head& head, std::uint64_t offset,
                                     unpacker& unpack, std::vector<std::byte>& body,
                                     std::vector<std::byte>& plain);

} // namespace mallard::trace
