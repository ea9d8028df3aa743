// Valid and damaged chunks of records.
#include "trace/chunk/chunk_parser.hpp"
#include "trace/recordings/random_recording.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::test::chunk_builder;
using mallard::test::expected_event;
using mallard::test::level;
using namespace mallard::trace;

struct parsed_chunks final : chunk_sink {
    void take(const event& added, stack_end end) override {
        events.push_back(added);
        ends.push_back(end);
    }
    void take_ticks(std::uint32_t, std::uint64_t inside, std::uint64_t by_recorder) override {
        events.back().ticks_inside = inside;
        events.back().ticks_recorder = by_recorder;
    }
    void take(code_file&& file) override { code.push_back(file); }
    void take(named_number&& name) override { names.push_back(name); }

    bool add(const chunk_builder& chunk) { return parser.parse(chunk.bytes, *this); }
    [[nodiscard]] std::vector<std::uint64_t> stack() const {
        std::vector<std::uint64_t> addresses;
        for (context_id node = events.back().context; contexts[node].depth != 0;
             node = contexts[node].parent) {
            addresses.insert(addresses.begin(), contexts[node].address);
        }
        return addresses;
    }

    std::vector<event> events;
    std::vector<stack_end> ends;
    std::vector<code_file> code;
    std::vector<named_number> names;
    context_tree contexts;
    chunk_parser parser{contexts};
};

expected_event make_event(record_kind kind) {
    expected_event result;
    result.fields.kind = kind;
    result.fields.address = 0x1000;
    return result;
}

std::vector<level> levels(std::initializer_list<std::uint64_t> addresses) {
    std::vector<level> result;
    for (const std::uint64_t address : addresses) {
        result.push_back({address, 0});
    }
    return result;
}

chunk_builder begun(std::uint64_t ticks = 100, std::uint32_t thread = 0) {
    chunk_builder result;
    result.thread_begin(ticks, thread);
    return result;
}

TEST(chunk_parser, accepts_an_empty_chunk) {
    parsed_chunks chunks;
    EXPECT_TRUE(chunks.parser.parse({}, chunks));
    chunk_builder zero;
    zero.add_byte(0);
    EXPECT_TRUE(chunks.add(zero));
    EXPECT_TRUE(chunks.events.empty());
}

TEST(chunk_parser, represents_a_gap_by_one_node) {
    parsed_chunks chunks;
    chunk_builder chunk = begun();
    chunk.add(make_event(record_kind::malloc), 1, 0, {{1, 0}, {2, 0}, {0, 100}, {3, 0}});
    chunk.add(make_event(record_kind::free), 1, 103, levels({4}));
    ASSERT_TRUE(chunks.add(chunk));
    EXPECT_EQ(chunks.stack(), (std::vector<std::uint64_t>{1, 2, 0, 3, 4}));
    EXPECT_EQ(chunks.events.back().kept, 4U);
}

TEST(chunk_parser, keeps_part_of_a_gap) {
    parsed_chunks chunks;
    chunk_builder chunk = begun();
    chunk.add(make_event(record_kind::malloc), 1, 0, {{1, 0}, {0, 100}, {2, 0}, {0, 50}, {3, 0}});
    chunk.add(make_event(record_kind::malloc), 1, 120,
              levels({7})); // 1, the gap, 2, and 18 of the second gap
    chunk.add(make_event(record_kind::malloc), 1, 121, levels({8}));
    chunk.add(make_event(record_kind::malloc), 1, 40, levels({9})); // 1 and 39 of the first gap
    chunk.add(make_event(record_kind::free), 1, 1, levels({5}));
    ASSERT_TRUE(chunks.add(chunk));
    ASSERT_EQ(chunks.events.size(), 6U);
    EXPECT_EQ(chunks.contexts[chunks.events[2].context].depth, 5U);
    EXPECT_EQ(chunks.events[2].kept, 4U);
    EXPECT_EQ(chunks.contexts[chunks.events[3].context].depth, 6U);
    EXPECT_EQ(chunks.events[3].kept, 5U);
    EXPECT_EQ(chunks.contexts[chunks.events[4].context].depth, 3U);
    EXPECT_EQ(chunks.events[4].kept, 2U);
    EXPECT_EQ(chunks.events[5].kept, 1U);
    EXPECT_EQ(chunks.stack(), (std::vector<std::uint64_t>{1, 5}));
}

TEST(chunk_parser, continues_a_thread_in_the_next_chunk) {
    parsed_chunks chunks;
    chunk_builder first = begun(100);
    first.add(make_event(record_kind::malloc), 1, 0, levels({1, 2, 3}));
    chunk_builder next = begun(200);
    next.add(make_event(record_kind::malloc), 1, 0, levels({1, 2, 3}), 2);
    next.add(make_event(record_kind::malloc), 1, 0, levels({1, 2, 3}));
    ASSERT_TRUE(chunks.add(first) && chunks.add(next));
    ASSERT_EQ(chunks.events.size(), 4U); // the thread begins once
    EXPECT_EQ(chunks.events[2].kept, 2U) << "as the chunk says, although a third level is equal";
    EXPECT_EQ(chunks.events[2].ticks, 201U);
    EXPECT_EQ(chunks.events[3].kept, 0U);
}

TEST(chunk_parser, keeps_no_levels_of_a_lost_chunk) {
    parsed_chunks chunks;
    chunk_builder first = begun(100);
    first.add(make_event(record_kind::malloc), 1, 0, levels({1, 2, 3}));
    chunk_builder next = begun(300);
    next.add(make_event(record_kind::malloc), 1, 0, levels({1, 5, 6}), 3);
    ASSERT_TRUE(chunks.add(first) && chunks.add(next));
    EXPECT_EQ(chunks.events.back().kept, 1U);
}

TEST(chunk_parser, keeps_a_gap_at_a_chunk_start) {
    parsed_chunks chunks;
    chunk_builder first = begun(100);
    first.add(make_event(record_kind::malloc), 1, 0, {{1, 0}, {0, 100}, {2, 0}, {3, 0}});
    ASSERT_TRUE(chunks.add(first));
    for (const auto& [repeated, nodes] :
         {std::pair{1U, 1U}, {2U, 2U}, {101U, 2U}, {102U, 3U}, {103U, 4U}, {9000U, 4U}}) {
        chunk_builder next = begun(200);
        next.add(make_event(record_kind::malloc), 1, 0, {{1, 0}, {0, 100}, {2, 0}, {3, 0}}, repeated);
        ASSERT_TRUE(chunks.add(next));
        EXPECT_EQ(chunks.events.back().kept, nodes) << repeated;
    }
}

// 1 to 6, and a chunk that begins with these calls, but a gap for 2 to 5, and with 7.
class deep_stack : public testing::Test {
protected:
    void begin(std::uint64_t begins) {
        chunk_builder first;
        first.thread_begin(100, 0, 4);
        first.add(make_event(record_kind::malloc), 1, 0, levels({1, 2, 3, 4, 5, 6}));
        next.thread_begin(200, 0, begins);
        next.add(make_event(record_kind::malloc), 1, 0, {{1, 0}, {0, 4}, {6, 0}, {7, 0}}, 6);
        ASSERT_TRUE(chunks.add(first));
    }

    parsed_chunks chunks;
    chunk_builder next;
};

TEST_F(deep_stack, is_complete_in_the_next_chunk) {
    begin(5);
    next.add(make_event(record_kind::free), 1, 4, levels({8}));
    ASSERT_TRUE(chunks.add(next));
    EXPECT_EQ(chunks.events[2].kept, 6U);
    EXPECT_EQ(chunks.contexts[chunks.events[2].context].depth, 7U);
    EXPECT_EQ(chunks.stack(), (std::vector<std::uint64_t>{1, 2, 3, 4, 8}));
}

TEST_F(deep_stack, has_a_gap_after_a_lost_chunk) {
    begin(6);
    ASSERT_TRUE(chunks.add(next));
    EXPECT_EQ(chunks.stack(), (std::vector<std::uint64_t>{1, 0, 6, 7}));
    EXPECT_EQ(chunks.events.back().kept, 1U);
}

TEST_F(deep_stack, has_a_gap_after_a_damaged_chunk) {
    begin(6);
    chunk_builder damaged;
    damaged.thread_begin(150, 0, 5);
    damaged.add_byte(200);
    ASSERT_FALSE(chunks.add(damaged));
    ASSERT_TRUE(chunks.add(next));
    EXPECT_EQ(chunks.stack(), (std::vector<std::uint64_t>{1, 0, 6, 7}));
}

TEST_F(deep_stack, is_damaged_if_a_gap_has_new_levels) {
    begin(5);
    ASSERT_TRUE(chunks.add(next));
    chunk_builder last;
    last.thread_begin(300, 0, 6);
    last.add(make_event(record_kind::malloc), 1, 0, {{1, 0}, {0, 4}, {9, 0}}, 3);
    EXPECT_FALSE(chunks.add(last));
}

TEST(chunk_parser, accepts_a_second_thread_in_a_chunk) {
    parsed_chunks chunks;
    chunk_builder chunk = begun(100, 0);
    chunk.add(make_event(record_kind::malloc), 1, 0, levels({1}));
    chunk.thread_begin(300, 1);
    chunk.add(make_event(record_kind::malloc), 1, 0, levels({2}));
    ASSERT_TRUE(chunks.add(chunk));
    ASSERT_EQ(chunks.events.size(), 4U);
    EXPECT_EQ(chunks.events[1].thread, 0U);
    EXPECT_EQ(chunks.events[3].thread, 1U);
    EXPECT_EQ(chunks.events[3].ticks, 301U);
}

TEST(chunk_parser, never_decreases_times) {
    parsed_chunks chunks;
    ASSERT_TRUE(chunks.add(begun(100)));
    chunk_builder earlier = begun(50);
    earlier.add(make_event(record_kind::malloc), 1, 0, levels({1}));
    ASSERT_TRUE(chunks.add(earlier));
    EXPECT_EQ(chunks.events.back().ticks, 101U);
}

// Each is a chunk whose last record is invalid. The preceding event is kept, and the next chunk is parsed.
struct damage {
    const char* name;
    void (*add)(chunk_builder&);
};

class chunk_damage : public testing::TestWithParam<damage> {};

TEST_P(chunk_damage, affects_only_the_damaged_chunk) {
    parsed_chunks chunks;
    chunk_builder chunk = begun();
    chunk.add(make_event(record_kind::malloc), 1, 0, levels({1, 2}));
    GetParam().add(chunk);
    chunk.add(make_event(record_kind::free), 1, 2, {});
    EXPECT_FALSE(chunks.add(chunk));
    EXPECT_EQ(chunks.events.size(), 2U);
    chunk_builder next = begun(1000);
    next.add(make_event(record_kind::free), 1, 0, levels({1, 3}));
    EXPECT_TRUE(chunks.add(next));
    EXPECT_EQ(chunks.stack(), (std::vector<std::uint64_t>{1, 3}));
    const context_id last = chunks.events.back().context;
    EXPECT_EQ(chunks.contexts.last_node(chunks.contexts.run(last)), last);
}

INSTANTIATE_TEST_SUITE_P(
    kinds, chunk_damage,
    testing::Values(
        damage{"unknown_kind", [](chunk_builder& to) { to.add_byte(200); }},
        damage{"kind_within_a_gap", [](chunk_builder& to) { to.add_byte(12); }},
        damage{"too_many_kept",
               [](chunk_builder& to) { to.add(make_event(record_kind::malloc), 1, 3, levels({9})); }},
        damage{"unknown_end",
               [](chunk_builder& to) {
                   expected_event event = make_event(record_kind::malloc);
                   event.end = static_cast<stack_end>(stack_ends);
                   to.add(event, 1, 0, levels({9}));
               }},
        damage{"time_behind_the_last_one",
               [](chunk_builder& to) { to.add(make_event(record_kind::malloc), ~std::uint64_t{0}, 2, {}); }},
        damage{"gap_of_nothing",
               [](chunk_builder& to) {
                   to.add_byte(1);
                   for (const unsigned value : {1U, 2U, 3U}) {
                       to.add_number(value);
                   }
                   for (int value = 0; value < 12; ++value) {
                       to.add_byte(0);
                   }
               }},
        damage{"levels_behind_the_end",
               [](chunk_builder& to) {
                   to.add_byte(1);
                   for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{1}, ~std::uint64_t{0}}) {
                       to.add_number(value);
                   }
               }},
        damage{"number_without_end",
               [](chunk_builder& to) {
                   to.add_byte(1);
                   for (int count = 0; count < 20; ++count) {
                       to.add_byte(0xff);
                   }
               }},
        damage{"name_with_a_large_number",
               [](chunk_builder& to) {
                   to.add_byte(static_cast<std::uint8_t>(record_kind::name));
                   to.add_number(0);
                   to.add_number(1U << 30);
                   to.add_number(0);
               }}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(chunk_parser, rejects_records_without_a_thread) {
    parsed_chunks chunks;
    chunk_builder chunk;
    chunk.add(make_event(record_kind::malloc), 1, 0, levels({1}));
    EXPECT_FALSE(chunks.add(chunk));
}

TEST(chunk_parser, survives_every_truncation) {
    const mallard::test::random_recording recording(5, {.threads = 1, .events = 40});
    const std::vector<std::byte>& bytes = recording.chunks.front();
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
        parsed_chunks chunks;
        chunks.parser.parse(std::span(bytes).first(length), chunks);
        EXPECT_LE(chunks.events.size(), 42U);
    }
}

} // namespace
