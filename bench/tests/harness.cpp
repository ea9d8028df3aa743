/// Plan: the fields of rows about the process and its memory, and the numbers drawn inside timed parts.
#include "runner/harness/mapped_memory.hpp"
#include "runner/harness/memory.hpp"
#include "runner/harness/page_size.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/harness/row.hpp"
#include "runner/harness/static_buffer.hpp"

#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace {

TEST(process, reports_its_resident_memory) {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    const std::int64_t baseline = bench::resident_bytes();
    EXPECT_GT(baseline, 0);
    {
        const bench::static_buffer touched(bench::buffer_state::warm, bytes, bytes);
        EXPECT_GE(bench::resident_bytes() - baseline, static_cast<std::int64_t>(bytes / 10 * 9));
    }
    EXPECT_LT(bench::resident_bytes() - baseline, static_cast<std::int64_t>(bytes / 2));
}

TEST(memory, is_counted_to_the_page) {
    std::vector<std::string> notes;
    bench::use_pages(bench::page_size::small, notes);
    constexpr std::size_t pages = 1000;
    const std::size_t page_bytes = mallard::pages::page_bytes();
    const std::int64_t baseline = bench::inspect_memory().bytes;
    EXPECT_GT(baseline, 0);
    const bench::static_buffer untouched(bench::buffer_state::cold, pages * page_bytes, 0);
    for (std::size_t i = 0; i != 10; ++i) {
        untouched.span()[i * page_bytes] = std::byte{1};
    }
    const std::int64_t touched = bench::inspect_memory().bytes - baseline;
    EXPECT_GE(touched, static_cast<std::int64_t>(10 * page_bytes));
    EXPECT_LE(touched, static_cast<std::int64_t>(100 * page_bytes)); // and pages touched by chance
    bench::use_pages(bench::page_size::unchanged, notes);
}

TEST(memory, is_returned_by_a_trim) {
    constexpr std::size_t bytes = std::size_t{16} << 20;
    const std::int64_t baseline = bench::inspect_memory().bytes;
    void* const chunk = mallard::chunk_cache::allocate(bytes);
    std::memset(chunk, 1, bytes);
    mallard::chunk_cache::deallocate(chunk, bytes);
    bench::trim_process();
    EXPECT_LT(bench::inspect_memory().bytes - baseline, static_cast<std::int64_t>(bytes / 2));
}

TEST(memory, is_inspected_in_a_child_without_side_effects) {
    int changed = 0;
    EXPECT_EQ(bench::inspect_in_child(600,
                                      [&changed] {
                                          changed = 1;
                                          return std::int64_t{17};
                                      }),
              17);
    EXPECT_EQ(changed, 0);
    EXPECT_EQ(bench::inspect_in_child(0,
                                      [] {
                                          std::this_thread::sleep_for(std::chrono::seconds(30));
                                          return std::int64_t{17};
                                      }),
              std::nullopt);
}

TEST(memory, has_a_peak_that_can_be_reset) {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    if (!bench::forget_peak()) {
        GTEST_SKIP() << "this system does not reset the peak";
    }
    const std::int64_t baseline = bench::peak_resident_bytes();
    EXPECT_GT(baseline, 0);
    {
        const bench::static_buffer held(bench::buffer_state::warm, bytes, bytes);
    }
    EXPECT_GE(bench::peak_resident_bytes() - baseline, static_cast<std::int64_t>(bytes) * 9 / 10);
    EXPECT_TRUE(bench::forget_peak());
    EXPECT_LE(bench::peak_resident_bytes() - baseline, static_cast<std::int64_t>(bytes) / 2);
}

#ifdef __linux__
TEST(page_size, is_a_condition_of_the_process) {
    constexpr std::size_t bytes = std::size_t{8} << 20;
    std::vector<std::string> notes;
    const auto huge_bytes = [] {
        const bench::static_buffer touched(bench::buffer_state::warm, bytes, bytes);
        return mallard::pages::inspect(touched.span().data(), bytes).huge_bytes;
    };
    bench::use_pages(bench::page_size::small, notes);
    EXPECT_EQ(bench::pages_in_use(), bench::page_size::small);
    if (notes.empty()) {
        EXPECT_EQ(huge_bytes(), 0U);
    }
    // Keeps these tests from being executed again.
    setenv("MALLARD_BENCH_HUGE_PAGES", "1", 1);
    notes.clear();
    bench::use_pages(bench::page_size::huge, notes);
    unsetenv("MALLARD_BENCH_HUGE_PAGES");
    if (notes.empty()) {
        const bench::static_buffer touched(bench::buffer_state::warm, bytes, bytes);
        EXPECT_EQ(touched.lacks_huge_pages(), huge_bytes() == 0);
    }
    bench::use_pages(bench::page_size::unchanged, notes);
    EXPECT_EQ(bench::pages_in_use(), bench::page_size::unchanged);
}
#endif

TEST(process, limits_the_memory_to_bring_in) {
    EXPECT_LE(bench::most_to_bring_in(), std::size_t{12} << 30);
    EXPECT_LT(bench::most_to_bring_in(), bench::available_memory_bytes());
}

TEST(process, reports_the_name_of_the_malloc) {
#ifdef __GLIBC__
    EXPECT_EQ(bench::malloc_in_use(), "glibc"); // the tests have no other
#else
    EXPECT_EQ(bench::malloc_in_use(), "unknown");
#endif
}

TEST(row, writes_the_figures_and_the_malloc) {
    bench::row result;
    result.experiment = "made up";
    result.write_parameters = [](bench::json_writer&) {};
    EXPECT_EQ(bench::to_json(result, {}).find("figures"), std::string::npos);
    result.add_figure("held_bytes", 12'884'901'888.0);
    result.add_figure("free_ns", 1.5);
    const std::string text = bench::to_json(result, {});
    EXPECT_NE(text.find(R"("figures":{"held_bytes":12884901888,"free_ns":1.5})"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("malloc":")" + std::string(bench::malloc_in_use())), std::string::npos) << text;
}

TEST(cost, is_added_part_by_part) {
    bench::cost sum{1, 2, 3, 4, 5, 6};
    sum += {10, 20, 30, 40, 50, 60};
    EXPECT_EQ(sum.cpu_ns, 11);
    EXPECT_EQ(sum.wall_ns, 22);
    EXPECT_EQ(sum.user_ns, 33);
    EXPECT_EQ(sum.system_ns, 44);
    EXPECT_EQ(sum.minor_faults, 55);
    EXPECT_EQ(sum.major_faults, 66);
}

TEST(quick_random, draws_numbers_uniformly_below_the_bound) {
    bench::quick_random draw(1);
    std::array<int, 7> seen{};
    for (int i = 0; i != 70'000; ++i) {
        const std::uint64_t n = draw.below(seen.size());
        ASSERT_LT(n, seen.size());
        ++seen[n];
    }
    for (const int count : seen) {
        EXPECT_NEAR(count, 10'000, 500);
    }
    EXPECT_EQ(draw.below(1), 0U);
}

TEST(mapped_memory, serves_aligned_blocks_that_do_not_overlap) {
    bench::mapped_memory memory;
    std::vector<std::pair<std::byte*, std::size_t>> blocks;
    for (const std::size_t bytes : {1U, 24U, 4096U, 60'000U, 65'536U, 3'000'000U}) {
        for (const std::size_t alignment : {1U, 16U, 4096U}) {
            auto* const p = static_cast<std::byte*>(memory.allocate(bytes, alignment));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0U);
            std::fill_n(p, bytes, static_cast<std::byte>(blocks.size()));
            blocks.emplace_back(p, bytes);
        }
    }
    for (std::size_t i = 0; i != blocks.size(); ++i) {
        const auto [p, bytes] = blocks[i];
        EXPECT_EQ(std::count(p, p + bytes, static_cast<std::byte>(i)), static_cast<std::ptrdiff_t>(bytes));
        memory.deallocate(p, bytes, 1);
    }
}

} // namespace
