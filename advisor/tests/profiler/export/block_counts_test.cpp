#include "profiler/export/block_counts.hpp"
#include "trace_maker.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace mallard::advisor::tests { namespace {

heap_history read_history(const trace_maker& maker) {
    const temporary_folder folder;
    maker.write(folder / "trace");
    trace::reader trace(folder / "trace");
    return heap_history(trace, 0);
}

/// Returns: the counts of the only context that allocated.
block_counts only(const heap_history& history) {
    block_counts single;
    for (const block_counts& counts : history.contexts()) {
        if (counts.allocated.blocks != 0) {
            EXPECT_EQ(single.allocated.blocks, 0u);
            single = counts;
        }
    }
    EXPECT_EQ(single.allocated, history.total().allocated);
    return single;
}

TEST(heap_history, counts_blocks_by_their_stacks) {
    trace_maker maker;
    const stack first{0x1000, 0x2000};
    const stack second{0x1000, 0x3000};
    maker.allocate(first, 0x10, 100);
    maker.ticks += 160;
    maker.allocate(second, 0x20, 50);
    maker.allocate(second, 0x30, 7);
    maker.ticks += 160;
    maker.free(first, 0x20);
    maker.ticks += 160;
    maker.allocate(first, 0x40, 20);
    maker.ticks += 160;
    maker.free(second, 0x10);
    const heap_history history = read_history(maker);
    std::map<std::uint64_t, block_counts> by_bytes;
    for (const block_counts& counts : history.contexts()) {
        if (counts.allocated.blocks != 0) {
            by_bytes[counts.allocated.bytes] = counts;
        }
    }
    ASSERT_EQ(by_bytes.size(), 2u);
    EXPECT_EQ(by_bytes[120], (block_counts{{2, 120}, {1, 20}, {1, 100}, {2, 120}, 800}));
    EXPECT_EQ(by_bytes[57], (block_counts{{2, 57}, {1, 7}, {2, 57}, {2, 57}, 640}));
    EXPECT_EQ(history.total(), (block_counts{{4, 177}, {2, 27}, {3, 157}, {3, 157}, 1440}));
    EXPECT_EQ(history.ticks_at_peak(), 160u);
    EXPECT_EQ(history.ticks(), 640u);
}

TEST(heap_history, ignores_a_failed_realloc) {
    trace_maker maker;
    maker.allocate({0x1000}, 0x10, 100);
    maker.ticks += 96;
    maker.add(trace::record_kind::realloc_old, {0x1000}, 0x10);
    maker.add(trace::record_kind::realloc_failed, {0x1000}, 0x10);
    maker.ticks += 96;
    maker.free({0x2000}, 0x10);
    EXPECT_EQ(only(read_history(maker)), (block_counts{{1, 100}, {0, 0}, {1, 100}, {1, 100}, 192}));
}

TEST(heap_history, counts_a_realloc_as_a_new_block) {
    trace_maker maker;
    maker.allocate({0x1000}, 0x10, 100);
    maker.ticks += 96;
    maker.add(trace::record_kind::realloc_old, {0x1000}, 0x10);
    maker.add(trace::record_kind::realloc, {0x1000}, 0x10, 300);
    maker.ticks += 96;
    EXPECT_EQ(only(read_history(maker)), (block_counts{{2, 400}, {1, 300}, {1, 300}, {1, 300}, 192}));
}

TEST(heap_history, tolerates_missing_events) {
    trace_maker maker;
    maker.free({0x1000}, 0x77); // allocated before the recording
    maker.add(trace::record_kind::realloc_failed, {0x1000}, 0x78);
    maker.add(trace::record_kind::realloc_old, {0x1000}, 0x79);
    maker.allocate({0x1000}, 0x10, 100);
    maker.allocate({0x1000}, 0x10, 10); // the free of the first block was lost
    maker.free({0x1000}, 0x10);
    maker.free({0x1000}, 0x10);
    EXPECT_EQ(only(read_history(maker)), (block_counts{{2, 110}, {0, 0}, {1, 100}, {1, 100}, 0}));
}

TEST(heap_history, counts_empty_blocks) {
    trace_maker maker;
    maker.allocate({0x1000}, 0x10, 0);
    EXPECT_EQ(only(read_history(maker)), (block_counts{{1, 0}, {1, 0}, {0, 0}, {1, 0}, 0}));
}

/// Counts slowly, with a copy of all contexts at each peak.
struct slow_history {
    std::map<trace::context_id, block_counts> contexts;
    std::map<std::uint64_t, trace::event> alive;
    std::uint64_t bytes = 0;
    std::uint64_t peak = 0;

    void end(std::uint64_t address, std::uint64_t ticks) {
        const trace::event& block = alive.at(address);
        block_counts& counts = contexts[block.context];
        --counts.alive.blocks;
        counts.alive.bytes -= block.bytes;
        counts.ticks += ticks - block.ticks;
        bytes -= block.bytes;
        alive.erase(address);
    }
    void add(const trace::event& event) {
        if (trace::frees(event.kind) && alive.contains(event.address)) {
            end(event.address, event.ticks);
        }
        if (!trace::allocates(event.kind)) {
            return;
        }
        if (alive.contains(event.address)) {
            end(event.address, event.ticks);
        }
        alive[event.address] = event;
        bytes += event.bytes;
        block_counts& counts = contexts[event.context];
        counts.allocated = {counts.allocated.blocks + 1, counts.allocated.bytes + event.bytes};
        counts.alive = {counts.alive.blocks + 1, counts.alive.bytes + event.bytes};
        if (counts.alive.bytes > counts.most.bytes) {
            counts.most = counts.alive;
        }
        if (bytes > peak) {
            peak = bytes;
            for (auto& [context, state] : contexts) {
                state.at_peak = state.alive;
            }
        }
    }
};

TEST(heap_history, agrees_with_slow_counts) {
    std::mt19937 random(1);
    for (unsigned round = 0; round < 5; ++round) {
        trace_maker maker;
        for (unsigned step = 0; step < 3000; ++step) {
            maker.ticks += random() % 3;
            const stack levels{0x1000, 0x2000 + random() % 5, 0x3000 + random() % 5};
            const std::uint64_t address = 0x10 * (1 + random() % 300);
            if (random() % 5 < 2 + step / 1000 % 2) {
                maker.allocate(levels, address, 1 + random() % 1000);
            } else {
                maker.free(levels, address);
            }
        }
        const temporary_folder folder;
        maker.write(folder / "trace");
        trace::reader trace(folder / "trace");
        const heap_history fast(trace, 0);
        slow_history slow;
        trace.begin(0);
        for (auto events = trace.next(); !events.empty(); events = trace.next()) {
            for (const trace::event& event : events) {
                slow.add(event);
            }
        }
        while (!slow.alive.empty()) {
            const auto [address, block] = *slow.alive.begin();
            slow.contexts[block.context].ticks += maker.ticks - block.ticks;
            slow.alive.erase(address);
        }
        ASSERT_EQ(slow.contexts.size(), 25u);
        for (const auto& [context, counts] : slow.contexts) {
            EXPECT_EQ(fast.contexts()[context], counts);
        }
    }
}

}} // namespace mallard::advisor::tests
