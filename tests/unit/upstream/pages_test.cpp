#include "equipment/resident_pages.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using equipment::resident_pages;

constexpr auto never = mallard::page_options{.huge = mallard::huge_pages::never};

bool is_mapped(void* p) {
    unsigned char in_core = 0;
    return mincore(p, 1, &in_core) == 0;
}

TEST(pages, quiet_failure_skips_handler) {
    static int heard = 0;
    mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ++heard; });
    mallard::pages source;
    EXPECT_EQ(source.try_allocate(SIZE_MAX), nullptr);
    EXPECT_EQ(source.try_allocate(std::size_t{1} << 62), nullptr);
    void* const p = source.try_allocate(5000);
    EXPECT_NE(p, nullptr);
    source.deallocate(p, 5000);
    EXPECT_EQ(heard, 0);
    mallard::set_out_of_memory_handler(nullptr);
}

TEST(pages, discard_gives_whole_pages_back) {
    const std::size_t page = mallard::pages::page_bytes();
    mallard::pages source(never);
    auto* const p = static_cast<unsigned char*>(source.allocate(8 * page));
    std::fill_n(p, 8 * page, static_cast<unsigned char>(7));
    mallard::pages::discard(p + 1, 2 * page);
    EXPECT_EQ(resident_pages(p, 8), 8U) << "a single whole page stays";
    mallard::pages::discard(p + 1, 3 * page - 2);
    EXPECT_EQ(resident_pages(p, 8), 8U) << "one byte is missing from the second page";
    mallard::pages::discard(p + 1, 4 * page);
    EXPECT_EQ(resident_pages(p, 8), 5U);
    EXPECT_TRUE(std::all_of(p, p + page, [](unsigned char c) { return c == 7; }));
    EXPECT_TRUE(std::all_of(p + 4 * page, p + 8 * page, [](unsigned char c) { return c == 7; }));
    std::fill_n(p, 8 * page, static_cast<unsigned char>(8));
    EXPECT_EQ(resident_pages(p, 8), 8U) << "they stay usable";
    mallard::pages::discard(p + 1, 3 * page - 1);
    EXPECT_EQ(resident_pages(p, 8), 6U);
    mallard::pages::discard(p + 6 * page, 2 * page);
    EXPECT_EQ(resident_pages(p, 8), 4U);
    source.deallocate(p, 8 * page);
}

TEST(pages, are_complete_zeroed_and_aligned) {
    const std::size_t page = mallard::pages::page_bytes();
    mallard::pages source(never);
    for (std::size_t alignment = 1; alignment <= (4U << 20); alignment *= 4) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, page, page + 1, 5 * page}) {
            auto* const p = static_cast<unsigned char*>(source.allocate(bytes, alignment));
            ASSERT_TRUE(mallard::core::is_aligned(p, std::max(alignment, page)));
            ASSERT_TRUE(std::all_of(p, p + bytes, [](unsigned char c) { return c == 0; }));
            std::fill_n(p, bytes, static_cast<unsigned char>(1));
            source.deallocate(p, bytes, alignment);
        }
    }
}

TEST(pages, go_back_to_the_system) {
    for (const auto huge :
         {mallard::huge_pages::never, mallard::huge_pages::when_large, mallard::huge_pages::always}) {
        mallard::pages source({.huge = huge});
        for (const std::size_t alignment : {std::size_t{16}, std::size_t{1} << 20}) {
            for (const std::size_t bytes : {std::size_t{1}, std::size_t{10000}, std::size_t{3} << 20}) {
                auto* const p = static_cast<std::byte*>(source.allocate(bytes, alignment));
                EXPECT_TRUE(is_mapped(p));
                source.deallocate(p, bytes, alignment);
                EXPECT_FALSE(is_mapped(p));
                EXPECT_FALSE(
                    is_mapped(p + mallard::core::align_down(bytes - 1, mallard::pages::page_bytes())));
            }
        }
    }
}

TEST(pages, are_touched_beforehand_only_on_request) {
    constexpr std::size_t count = 64;
    const std::size_t bytes = count * mallard::pages::page_bytes();
    mallard::pages lazy(never);
    mallard::pages eager({.huge = mallard::huge_pages::never, .prefault = true});
    void* const untouched = lazy.allocate(bytes);
    void* const touched = eager.allocate(bytes);
    EXPECT_EQ(resident_pages(untouched, count), 0U);
    EXPECT_EQ(resident_pages(touched, count), count);
    lazy.deallocate(untouched, bytes);
    eager.deallocate(touched, bytes);
}

TEST(pages, of_large_requests_stand_where_huge_pages_can) {
    const std::size_t huge = mallard::pages::huge_page_bytes();
    EXPECT_TRUE(mallard::is_power_of_two(huge));
    EXPECT_GT(huge, mallard::pages::page_bytes());
    mallard::pages source;
    EXPECT_EQ(source.options().huge, mallard::huge_pages::when_large);
    void* const large = source.allocate(huge);
    EXPECT_TRUE(mallard::core::is_aligned(large, huge));
    source.deallocate(large, huge);

    mallard::pages always({.huge = mallard::huge_pages::always});
    void* const small = always.allocate(1);
    EXPECT_TRUE(mallard::core::is_aligned(small, huge));
    always.deallocate(small, 1);
}

/// Kernels whose pages have 16 or 64 KiB have huge ones that are too large for a request of 1 MiB.
TEST(pages, round_to_huge_pages_within_limit) {
    using mallard::pages;
    constexpr std::size_t mib = std::size_t{1} << 20;
    EXPECT_EQ(pages::huge_page_bytes_for(2 * mib), 2 * mib);
    EXPECT_EQ(pages::huge_page_bytes_for(mib), mib);
    EXPECT_EQ(pages::most_huge_page_bytes, 4 * mib);
    EXPECT_EQ(pages::huge_page_bytes_for(4 * mib), 4 * mib);
    for (const std::size_t system_bytes :
         {std::size_t{0}, 3 * mib, 8 * mib, 16 * mib, 32 * mib, 512 * mib, SIZE_MAX}) {
        EXPECT_EQ(pages::huge_page_bytes_for(system_bytes), 2 * mib) << system_bytes;
    }
    std::size_t system_bytes = 0;
    std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> system_bytes;
    EXPECT_EQ(pages::huge_page_bytes(), pages::huge_page_bytes_for(system_bytes));
    EXPECT_LE(pages::huge_page_bytes(), pages::most_huge_page_bytes);
}

TEST(pages, report_describes_granted_pages) {
    constexpr std::size_t bytes = std::size_t{8} << 20;
    mallard::pages source({.huge = mallard::huge_pages::always, .prefault = true});
    void* const p = source.allocate(bytes);
    const mallard::page_report report = mallard::pages::inspect(p, bytes);
    if (std::ifstream("/proc/self/smaps")) {
        EXPECT_TRUE(report.known);
        EXPECT_GE(report.resident_bytes, bytes);
        EXPECT_LE(report.huge_bytes, report.resident_bytes);
        std::string mode;
        std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), mode);
        // A container may have no /sys, and huge pages all the same.
        std::ifstream memory("/proc/meminfo");
        const std::string counts{std::istreambuf_iterator<char>(memory), {}};
        if (counts.find("AnonHugePages:") == std::string::npos || mode.find("[never]") != std::string::npos) {
            EXPECT_EQ(report.huge_bytes, 0U);
        }
    } else {
        EXPECT_FALSE(report.known);
    }
    source.deallocate(p, bytes);
    // A sanitizer may map its notes where the block was, so the address is one that no process has.
    const mallard::page_report none = mallard::pages::inspect(reinterpret_cast<const void*>(1), 1);
    EXPECT_FALSE(none.known);
    EXPECT_EQ(none.resident_bytes + none.huge_bytes, 0U);
}

TEST(pages, are_huge_where_the_system_allows_it) {
    std::string modes;
    std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), modes);
    bool allowed = !modes.empty() && modes.find("[never]") == std::string::npos;
#ifdef PR_GET_THP_DISABLE
    allowed = allowed && prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0;
#endif
    EXPECT_EQ(mallard::pages::has_huge_pages(), allowed);
}

/// Returns: the bytes of the process that the system may take; -1 if unknown.
long offered_kibibytes() {
    std::ifstream rollup("/proc/self/smaps_rollup");
    for (std::string key; rollup >> key;) {
        if (key == "LazyFree:") {
            long kibibytes = 0;
            rollup >> kibibytes;
            return kibibytes;
        }
    }
    return -1;
}

TEST(pages, stay_usable_when_they_are_offered) {
    constexpr std::size_t bytes = std::size_t{6} << 20;
    for (const auto huge : {mallard::huge_pages::never, mallard::huge_pages::always}) {
        mallard::pages source({.huge = huge});
        auto* const p = static_cast<unsigned char*>(source.allocate(bytes));
        std::fill_n(p, bytes, static_cast<unsigned char>(1));
        const long old_offered = offered_kibibytes();
        source.offer(p, bytes);
        if (old_offered != -1) {
            EXPECT_NEAR(static_cast<double>(offered_kibibytes() - old_offered), 6 << 10, 1 << 10);
        }
        EXPECT_TRUE(std::all_of(p, p + bytes, [](unsigned char c) { return c <= 1; }));
        std::fill_n(p, bytes, static_cast<unsigned char>(2));
        EXPECT_TRUE(std::all_of(p, p + bytes, [](unsigned char c) { return c == 2; }));
        if (old_offered != -1) {
            EXPECT_LE(offered_kibibytes() - old_offered, 1 << 10) << "written memory is no longer offered";
        }
        source.deallocate(p, bytes);
    }
}

/// Every size at every alignment is served completely or refused.
TEST(pages, map_requested_bytes_or_fail) {
    for (const auto huge : {mallard::huge_pages::never, mallard::huge_pages::when_large}) {
        mallard::pages source({.huge = huge});
        for (unsigned k = 0; k != 64; ++k) {
            for (std::size_t less = 0; less != 3; ++less) {
                const std::size_t bytes = (std::size_t{1} << k) + 1 - less;
                for (unsigned log2 = 0; log2 != 64; ++log2) {
                    const std::size_t alignment = std::size_t{1} << log2;
                    auto* const p = static_cast<unsigned char*>(source.try_allocate(bytes, alignment));
                    if (p == nullptr) {
                        continue;
                    }
                    ASSERT_TRUE(mallard::core::is_aligned(p, alignment));
                    ASSERT_TRUE(is_mapped(p));
                    ASSERT_TRUE(is_mapped(p + mallard::core::align_down(std::max<std::size_t>(bytes, 1) - 1,
                                                                        mallard::pages::page_bytes())));
                    source.deallocate(p, bytes, alignment);
                }
            }
        }
        EXPECT_EQ(source.try_allocate(SIZE_MAX), nullptr);
        EXPECT_EQ(source.try_allocate(SIZE_MAX, std::size_t{1} << 63), nullptr);
    }
}

#ifdef __linux__
std::size_t mapped_bytes() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * mallard::pages::page_bytes();
}

/// Returns: the bytes by which the process grows for each of some blocks, to a sixteenth of a MiB. Their return has to
/// end that.
std::size_t mapped_bytes_of_a_block(mallard::pages source, std::size_t bytes, std::size_t alignment) {
    constexpr std::size_t unit = std::size_t{1} << 16;
    std::array<void*, 64> blocks{};
    const std::size_t before = mapped_bytes();
    for (void*& block : blocks) {
        block = source.allocate(bytes, alignment);
    }
    const std::size_t mapped = mapped_bytes() - before;
    for (void* const block : blocks) {
        source.deallocate(block, bytes, alignment);
    }
    EXPECT_LT(mapped_bytes(), before + blocks.size() * unit / 2);
    return mapped / blocks.size() / unit * unit;
}

TEST(pages, map_nothing_around_aligned_blocks) {
    constexpr std::size_t mib = std::size_t{1} << 20;
    const std::size_t page = mallard::pages::page_bytes();
    EXPECT_LE(mapped_bytes_of_a_block(mallard::pages(never), page, mib), page);
    EXPECT_EQ(mapped_bytes_of_a_block(mallard::pages(never), mib, 4 * mib), mib);
}

TEST(pages, map_huge_pages_and_a_rest) {
    const std::size_t huge = mallard::pages::huge_page_bytes();
    EXPECT_EQ(mapped_bytes_of_a_block({}, huge / 2, 1), huge / 2);
    EXPECT_EQ(mapped_bytes_of_a_block({}, huge, 1), huge);
    EXPECT_EQ(mapped_bytes_of_a_block({}, huge + huge / 4, 1), huge + huge / 4);
    EXPECT_EQ(mapped_bytes_of_a_block(mallard::pages({.huge = mallard::huge_pages::always}), huge + 1, 1),
              2 * huge);
}

TEST(pages, offer_huge_pages_without_the_rest) {
    const std::size_t huge = mallard::pages::huge_page_bytes();
    const std::size_t bytes = huge + huge / 2;
    mallard::pages source;
    auto* const p = static_cast<unsigned char*>(source.allocate(bytes));
    std::fill_n(p, bytes, static_cast<unsigned char>(1));
    const long old_offered = offered_kibibytes();
    source.offer(p, bytes);
    if (old_offered != -1) {
        EXPECT_NEAR(static_cast<double>(offered_kibibytes() - old_offered), static_cast<double>(huge >> 10),
                    static_cast<double>(huge >> 12));
    }
    EXPECT_TRUE(std::all_of(p + huge, p + bytes, [](unsigned char c) { return c == 1; }));
    source.deallocate(p, bytes);
}

/// The system takes nothing out of the middle of a mapping then, because two would be left.
TEST(pages, unmap_works_at_mapping_limit) {
    constexpr std::size_t bytes = std::size_t{64} << 10;
    mallard::pages source;
    std::array<void*, 3> blocks{};
    for (void*& block : blocks) {
        block = source.allocate(bytes);
        std::memset(block, 1, bytes);
    }
    const std::size_t page = mallard::pages::page_bytes();
    const std::size_t wasted_bytes = 140'000 * page;
    void* const wasted =
        mmap(nullptr, wasted_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(wasted, MAP_FAILED);
    for (std::size_t i = 0; i < wasted_bytes; i += 2 * page) {
        if (mprotect(static_cast<std::byte*>(wasted) + i, page, PROT_READ) != 0) {
            break;
        }
    }
    source.deallocate(blocks[1], bytes);
    mprotect(wasted, wasted_bytes, PROT_NONE); // AddressSanitizer wants a mapping, too, where one goes
    munmap(wasted, wasted_bytes);
    EXPECT_TRUE(!is_mapped(blocks[1]) || resident_pages(blocks[1], bytes / page) == 0);
    EXPECT_EQ(resident_pages(blocks[0], bytes / page), bytes / page);
    source.deallocate(blocks[0], bytes);
    source.deallocate(blocks[2], bytes);
}
#endif

} // namespace
