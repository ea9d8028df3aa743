// A reader returns the recorded events.
#include "trace/recordings/trace_file.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::test::first_difference;
using mallard::test::memory_file;
using mallard::test::random_recording;
using mallard::test::read_events;
using mallard::test::write_trace;
namespace trace = mallard::trace;

void expect_read_as_written(const std::vector<random_recording>& recordings) {
    memory_file file;
    file.set(write_trace([&](trace::writer& to) {
        for (const auto& recording : recordings) {
            recording.add_to(to);
        }
        EXPECT_EQ(to.damaged_chunks(), 0U);
    }));
    trace::reader from(file.path());
    EXPECT_EQ(from.torn_bytes(), 0U);
    ASSERT_EQ(from.processes().size(), recordings.size());
    for (std::size_t index = 0; index < recordings.size(); ++index) {
        const auto actual = read_events(from, index);
        ASSERT_EQ(actual.size(), recordings[index].threads.size());
        std::uint64_t with_stack = 0;
        for (const auto& [thread, expected] : recordings[index].threads) {
            ASSERT_EQ(first_difference(from, index, expected, actual.at(thread)), "") << "thread " << thread;
            for (const auto& event : expected) {
                with_stack += trace::has_stack(event.fields.kind) ? 1U : 0U;
            }
        }
        EXPECT_EQ(from.processes()[index].events, with_stack);
        EXPECT_FALSE(from.processes()[index].torn);
    }
}

TEST(round_trip, of_ordinary_events) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        expect_read_as_written({random_recording(seed, {})});
    }
}

TEST(round_trip, of_64_bit_numbers_and_stacks_with_gaps) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        expect_read_as_written({random_recording(seed, {.threads = 2, .events = 400, .extreme = true})});
    }
}

TEST(round_trip, of_one_thread) {
    expect_read_as_written({random_recording(1, {.threads = 1, .events = 20'000, .events_per_chunk = 3000})});
}

TEST(round_trip, of_many_threads) {
    expect_read_as_written({random_recording(1, {.threads = 300, .events = 30, .events_per_chunk = 7})});
}

TEST(round_trip, of_processes) {
    expect_read_as_written({random_recording(1, {}), random_recording(2, {.threads = 0}),
                            random_recording(3, {.threads = 1, .events = 0}), random_recording(4, {})});
}

TEST(round_trip, of_more_events_than_a_frame_has) {
    expect_read_as_written(
        {random_recording(5, {.threads = 1, .events = (1U << 18) + 10, .events_per_chunk = 5000})});
}

TEST(round_trip, with_a_resumed_writer) {
    const random_recording recording(7, {.threads = 2, .events = 300, .events_per_chunk = 40});
    for (std::size_t first = 0; first <= recording.chunks.size(); ++first) {
        const memory_file file;
        {
            trace::writer to(file.path(), {});
            to.add_process(recording.facts);
            for (std::size_t index = 0; index < first; ++index) {
                to.add_chunk(0, recording.chunks[index]);
            }
            to.flush();
        }
        const auto to = trace::writer::resume(file.path(), {});
        // The last added chunk comes again. Its events are in the file.
        for (std::size_t index = first == 0 ? 0 : first - 1; index < recording.chunks.size(); ++index) {
            to->add_chunk(0, recording.chunks[index]);
        }
        to->end_process(0, recording.facts);
        to->finish();
        trace::reader from(file.path());
        EXPECT_FALSE(from.is_torn());
        const auto actual = read_events(from, 0);
        for (const auto& [thread, expected] : recording.threads) {
            ASSERT_EQ(actual.at(thread).size(), expected.size()) << "thread " << thread << " after " << first;
            for (std::size_t index = 0; index < expected.size(); ++index) {
                EXPECT_EQ(actual.at(thread)[index].kind, expected[index].fields.kind);
                EXPECT_EQ(actual.at(thread)[index].address, expected[index].fields.address);
            }
        }
    }
}

TEST(round_trip, of_frames_with_several_levels_of_compression) {
    const random_recording recording(7, {.threads = 3, .events = 3000});
    memory_file file;
    std::uint64_t bytes = 0;
    {
        trace::writer to(file.path(), {});
        const std::size_t process = to.add_process(recording.facts);
        int level = trace::writer::default_level;
        for (const auto& chunk : recording.chunks) {
            to.set_level(level);
            to.add_chunk(process, chunk);
            to.flush();
            level = level == trace::writer::default_level ? trace::writer::quick_level
                                                          : trace::writer::default_level;
        }
        to.end_process(process, recording.facts);
        to.finish();
        bytes = to.bytes();
    }
    trace::reader from(file.path());
    EXPECT_EQ(from.file_bytes(), bytes);
    const auto actual = read_events(from, 0);
    for (const auto& [thread, expected] : recording.threads) {
        ASSERT_EQ(first_difference(from, 0, expected, actual.at(thread)), "") << "thread " << thread;
    }
}

TEST(round_trip, of_nothing) {
    expect_read_as_written({});
}

TEST(round_trip, of_many_waiting_events_of_many_threads) {
    // In total more than a writer holds, though no thread fills a frame.
    expect_read_as_written(
        {random_recording(6, {.threads = 20, .events = 27'000, .events_per_chunk = 5000})});
}

} // namespace
