// Events of all threads come in the order of time, and of those at the same time the frees come first.
#include "trace/recordings/trace_file.hpp"

#include <gtest/gtest.h>

namespace {

using namespace mallard::test;
namespace trace = mallard::trace;
using trace::record_kind;

/// Events of one thread: kinds at times.
std::vector<std::byte> chunk_of(std::uint32_t thread,
                                const std::vector<std::pair<record_kind, std::uint64_t>>& events) {
    chunk_builder made;
    std::uint64_t last = 1000;
    made.thread_begin(last, thread);
    for (const auto& [kind, ticks] : events) {
        expected_event event;
        event.of.kind = kind;
        event.of.address = 0x5000;
        made.add(event, ticks - last, 0, {{1, 0}});
        last = ticks;
    }
    return made.bytes;
}

std::vector<trace::event> read_in_order(const std::vector<std::vector<std::byte>>& chunks) {
    memory_file file;
    file.set(trace_of([&](trace::writer& to) {
        to.add_process({});
        for (const auto& each : chunks) {
            to.add_chunk(0, each);
        }
        to.end_process(0, {});
    }));
    trace::reader from(file.path());
    from.begin(0);
    std::vector<trace::event> found;
    for (auto some = from.next(); !some.empty(); some = from.next()) {
        for (const auto& each : some) {
            if (trace::has_stack(each.kind)) {
                found.push_back(each);
            }
        }
    }
    return found;
}

TEST(order, is_that_of_time) {
    const auto found =
        read_in_order({chunk_of(0, {{record_kind::malloc, 2000}, {record_kind::malloc, 9000}}),
                       chunk_of(1, {{record_kind::malloc, 3000}, {record_kind::malloc, 4000}}),
                       chunk_of(2, {{record_kind::malloc, 3500}, {record_kind::malloc, 8000}})});
    std::vector<std::uint32_t> threads;
    for (const auto& each : found) {
        threads.push_back(each.thread);
    }
    EXPECT_EQ(threads, (std::vector<std::uint32_t>{0, 1, 2, 1, 2, 0}));
}

TEST(order, puts_frees_first_at_the_same_time) {
    // The allocator may give a block to one thread as soon as another one has freed it, never before.
    const auto found = read_in_order(
        {chunk_of(0, {{record_kind::malloc, 6400}, {record_kind::malloc, 9600}}),
         chunk_of(1, {{record_kind::malloc, 2000}, {record_kind::free, 6400}, {record_kind::malloc, 9900}})});
    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[1].kind, record_kind::free);
    EXPECT_EQ(found[2].kind, record_kind::malloc);
}

TEST(order, of_a_process_can_be_read_again) {
    memory_file file;
    file.set(trace_of([](trace::writer& to) { random_recording(3, {}).add_to(to); }));
    trace::reader from(file.path());
    const auto once = events_of(from, 0);
    from.begin(0);
    from.next();
    const auto again = events_of(from, 0);
    ASSERT_EQ(once.size(), again.size());
    for (const auto& [thread, events] : once) {
        EXPECT_EQ(events.size(), again.at(thread).size());
    }
    EXPECT_TRUE(from.next().empty());
}

} // namespace
