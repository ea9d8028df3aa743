// Files that are not traces, and traces with a lost part.
#include "trace/file/frame.hpp"
#include "trace/recordings/trace_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace {

using namespace mallard::test;
namespace trace = mallard::trace;

std::string refusal(const std::filesystem::path& path) {
    try {
        const trace::reader from(path);
    } catch (const trace::trace_error& error) {
        return error.what();
    }
    return "";
}

std::string refusal_for(const std::vector<std::byte>& bytes) {
    memory_file file;
    file.set(bytes);
    return refusal(file.path());
}

std::vector<std::byte> as_bytes(const std::string& text) {
    const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

std::vector<std::byte> small_trace() {
    static const std::vector<std::byte> bytes = write_trace([](trace::writer& to) {
        random_recording(1, {.threads = 2, .events = 30}).add_to(to);
        random_recording(2, {.threads = 1, .events = 30}).add_to(to);
    });
    return bytes;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(damaged_trace, refuses_files_that_are_not_traces) {
    EXPECT_TRUE(contains(refusal_for({}), "is empty"));
    EXPECT_TRUE(contains(refusal_for(as_bytes("x")), "is not a trace"));
    EXPECT_TRUE(
        contains(refusal_for(as_bytes("#!/bin/sh\necho a program of another kind\n")), "is not a trace"));
    EXPECT_TRUE(contains(refusal(std::filesystem::temp_directory_path()), "it is a directory"));
    EXPECT_TRUE(contains(refusal("/no/such/file"), "No such file"));
    EXPECT_TRUE(contains(refusal("/dev/null"), "not a regular file"));
}

TEST(damaged_trace, names_an_unknown_version) {
    std::vector<std::byte> bytes = small_trace();
    for (const unsigned version : {0U, trace::file_version - 1, trace::file_version + 1, 99U}) {
        bytes[8] = static_cast<std::byte>(version);
        const std::string text = refusal_for(bytes);
        EXPECT_TRUE(contains(text, "has version " + std::to_string(version) + ",")) << text;
        EXPECT_TRUE(contains(text, "reads version " + std::to_string(trace::file_version) + ";")) << text;
        EXPECT_TRUE(contains(text, "record again")) << text;
    }
}

TEST(damaged_trace, reads_everything_before_a_tear) {
    const std::vector<std::byte> complete = small_trace();
    memory_file file;
    std::size_t last_events = 0;
    std::size_t last_processes = 0;
    for (std::size_t length = 1; length < trace::file_head_bytes; ++length) {
        EXPECT_FALSE(
            refusal_for({complete.begin(), complete.begin() + static_cast<std::ptrdiff_t>(length)}).empty());
    }
    for (std::size_t length = trace::file_head_bytes; length <= complete.size(); ++length) {
        file.set({complete.begin(), complete.begin() + static_cast<std::ptrdiff_t>(length)});
        trace::reader from(file.path());
        EXPECT_EQ(from.file_bytes(), length);
        EXPECT_EQ(from.is_torn(), length != complete.size());
        std::size_t events = 0;
        for (std::size_t index = 0; index < from.processes().size(); ++index) {
            for (const auto& [thread, thread_events] : read_events(from, index)) {
                events += thread_events.size();
            }
        }
        // Less than the torn frame is lost.
        EXPECT_GE(events, last_events);
        EXPECT_GE(from.processes().size(), last_processes);
        EXPECT_LT(from.torn_bytes(), complete.size());
        last_events = events;
        last_processes = from.processes().size();
    }
    EXPECT_EQ(last_events, 3 * 32U);
    EXPECT_EQ(last_processes, 2U);
}

TEST(damaged_trace, counts_the_bytes_after_a_tear) {
    std::vector<std::byte> bytes = small_trace();
    memory_file file;
    bytes.insert(bytes.end(), 100, std::byte{0});
    file.set(bytes);
    EXPECT_EQ(trace::reader(file.path()).torn_bytes(), 100U);
    bytes.resize(trace::file_head_bytes + 10);
    file.set(bytes);
    EXPECT_EQ(trace::reader(file.path()).torn_bytes(), 10U);
    EXPECT_TRUE(trace::reader(file.path()).processes().empty());
}

TEST(damaged_trace, marks_a_process_without_end_as_torn) {
    memory_file file;
    file.set(write_trace([](trace::writer& to) {
        const random_recording recording(1, {.threads = 2, .events = 30});
        const std::size_t process = to.add_process(recording.facts);
        for (const auto& chunk : recording.chunks) {
            to.add_chunk(process, chunk);
        }
    }));
    trace::reader from(file.path());
    EXPECT_FALSE(from.is_torn());
    const trace::process& facts = from.processes().at(0);
    EXPECT_TRUE(facts.torn);
    EXPECT_EQ(facts.threads, 2U);
    EXPECT_GT(facts.last_ticks, facts.first_ticks);
    EXPECT_EQ(read_events(from, 0).size(), 2U);
}

TEST(damaged_trace, treats_an_unwritten_end_as_a_tear) {
    // The system may keep the length of a file and lose its last blocks.
    const std::vector<std::byte> complete = small_trace();
    for (std::size_t lost = 0; lost < complete.size() - trace::file_head_bytes; lost += 7) {
        std::vector<std::byte> bytes = complete;
        std::fill(bytes.end() - static_cast<std::ptrdiff_t>(lost), bytes.end(), std::byte{0});
        memory_file file;
        file.set(bytes);
        trace::reader from(file.path());
        EXPECT_EQ(from.is_torn(), lost != 0);
        for (std::size_t index = 0; index < from.processes().size(); ++index) {
            read_events(from, index);
        }
    }
}

TEST(damaged_trace, reports_the_position_of_damage) {
    std::vector<std::byte> bytes = small_trace();
    // The first frame of events.
    std::size_t at = trace::file_head_bytes;
    for (;;) {
        const auto head = trace::to_frame_head(std::span(bytes).subspan(at).first<trace::frame_head_bytes>());
        ASSERT_TRUE(head);
        if (head->kind == trace::frame_kind::events) {
            break;
        }
        at += trace::frame_head_bytes + head->body_bytes;
    }
    bytes[at + trace::frame_head_bytes + 20] ^= std::byte{1};
    memory_file file;
    file.set(bytes);
    trace::reader from(file.path());
    try {
        read_events(from, 0);
        FAIL() << "the damage was not detected";
    } catch (const trace::trace_error& error) {
        EXPECT_TRUE(contains(error.what(), "byte " + std::to_string(at))) << error.what();
        EXPECT_TRUE(contains(error.what(), "damaged")) << error.what();
    }
}

TEST(damaged_trace, rejects_frames_after_the_end_of_a_process) {
    // The second process claims to be the first one, which has ended.
    std::vector<std::byte> bytes = small_trace();
    bool ended = false;
    for (std::size_t at = trace::file_head_bytes;;) {
        const auto place = std::span(bytes).subspan(at).first<trace::frame_head_bytes>();
        auto head = trace::to_frame_head(place);
        ASSERT_TRUE(head);
        if (head->kind == trace::frame_kind::contexts && ended) {
            head->process = 0;
            const auto image = trace::to_bytes(*head);
            std::copy(image.begin(), image.end(), place.begin());
            break;
        }
        ended = ended || head->kind == trace::frame_kind::process_end;
        at += trace::frame_head_bytes + head->body_bytes;
    }
    memory_file file;
    file.set(bytes);
    trace::reader from(file.path());
    EXPECT_TRUE(from.is_torn());
    EXPECT_EQ(read_events(from, 0).size(), 2U);
}

TEST(damaged_trace, counts_invalid_chunks) {
    const random_recording recording(1, {.threads = 1, .events = 300});
    const auto bytes = write_trace([&](trace::writer& to) {
        to.add_process({});
        for (std::size_t index = 0; index < recording.chunks.size(); ++index) {
            std::vector<std::byte> chunk = recording.chunks[index];
            if (index == 1) {
                std::fill(chunk.begin() + static_cast<std::ptrdiff_t>(chunk.size() / 2), chunk.end(),
                          std::byte{0xff});
            }
            to.add_chunk(0, chunk);
        }
        to.end_process(0, {});
        EXPECT_EQ(to.damaged_chunks(), 1U);
    });
    memory_file file;
    file.set(bytes);
    trace::reader from(file.path());
    EXPECT_GT(read_events(from, 0).at(0).size(), 200U);
}

TEST(damaged_trace, events_follow_an_incomplete_record) {
    const auto event_at = [](const std::vector<level>& stack) {
        expected_event result;
        result.fields.kind = trace::record_kind::free;
        result.fields.address = 0x1000;
        result.stack = stack;
        return result;
    };
    const std::vector<level> outer{{0x10, 0}, {0x20, 0}};
    const std::vector<level> inner{{0x30, 0}, {0x40, 0}};
    const std::vector<level> both{{0x10, 0}, {0x20, 0}, {0x30, 0}, {0x40, 0}};
    chunk_builder damaged;
    damaged.thread_begin(100, 0);
    damaged.add(event_at(outer), 10, 0, outer);
    damaged.add(event_at(both), 10, 2, inner);
    damaged.bytes.resize(damaged.bytes.size() - 1); // within the address
    chunk_builder next;
    next.thread_begin(200, 0, 1);
    next.add(event_at(both), 10, 0, both, both.size());
    memory_file file;
    file.set(write_trace([&](trace::writer& to) {
        to.add_process({});
        to.add_chunk(0, damaged.bytes);
        to.add_chunk(0, next.bytes);
        to.end_process(0, {});
        EXPECT_EQ(to.damaged_chunks(), 1U);
    }));
    trace::reader from(file.path());
    const auto events = read_events(from, 0).at(0);
    ASSERT_EQ(events.size(), 3U); // with that of the thread's beginning
    EXPECT_EQ(events.back().kept, outer.size());
}

TEST(damaged_trace, each_byte_of_a_head_is_checked) {
    trace::frame_head head;
    head.count = 7;
    const trace::frame_head_image image = trace::to_bytes(head);
    ASSERT_TRUE(trace::to_frame_head(image));
    for (std::size_t at = 0; at < image.size(); ++at) {
        for (unsigned bits = 1; bits < 256; ++bits) {
            trace::frame_head_image changed = image;
            changed[at] ^= static_cast<std::byte>(bits);
            ASSERT_FALSE(trace::to_frame_head(changed)) << at;
        }
    }
    EXPECT_FALSE(trace::to_frame_head(trace::frame_head_image{}));
}

} // namespace
