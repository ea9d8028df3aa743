#include "history/history.hpp"

#include <mallard/core/build_mode.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace mallard::history;

namespace {

/// A malloc that keeps account of its blocks, and fails at one request or from it on.
struct account {
    std::map<void*, std::size_t> live;
    std::uint64_t requests = 0;
    std::uint64_t fails_at = ~std::uint64_t{0};
    bool recovers = false;
    std::uint64_t most_bytes = 0;
    std::uint64_t live_bytes = 0;
    std::uint64_t frees_of_foreign = 0;
};

account ledger;

void* allocate(std::size_t bytes) {
    const std::uint64_t request = ledger.requests++;
    if (ledger.recovers ? request == ledger.fails_at : request >= ledger.fails_at) {
        return nullptr;
    }
    void* const memory = std::malloc(bytes + 1);
    static_cast<char*>(memory)[bytes] = 0x33; // the next byte is not the history's
    ledger.live[memory] = bytes;
    ledger.live_bytes += bytes;
    ledger.most_bytes = std::max(ledger.most_bytes, ledger.live_bytes);
    return memory;
}

void deallocate(void* memory) {
    const auto block = ledger.live.find(memory);
    if (memory == nullptr || block == ledger.live.end()) {
        ledger.frees_of_foreign += memory == nullptr ? 0 : 1;
        return;
    }
    const std::size_t bytes = block->second;
    if (bytes != 0 &&
        (*static_cast<unsigned char*>(memory) != 0x5a || static_cast<char*>(memory)[bytes] != 0x33)) {
        ++ledger.frees_of_foreign; // not written, or written behind the end
    }
    ledger.live_bytes -= bytes;
    ledger.live.erase(block);
    std::free(memory);
}

void deallocate_sized(void* memory, std::size_t bytes) {
    const auto block = ledger.live.find(memory);
    ledger.frees_of_foreign += block == ledger.live.end() || block->second != bytes ? 1 : 0;
    deallocate(memory);
}

/// Memory that nothing had before, and that nothing gets again.
void* take_fresh(std::size_t bytes) {
    static std::vector<char> memory; // its pages have no memory yet
    if (memory.capacity() == 0) {
        memory.reserve(256 << 20);
    }
    static std::size_t used = 0;
    char* const block = memory.data() + used;
    used += (bytes + 15) / 16 * 16;
    return block;
}

constexpr allocator accounted{allocate, deallocate};
constexpr allocator sized{allocate, nullptr, deallocate_sized};
constexpr model small{.peak_bytes = 256 << 10, .rounds = 2, .replaced = 0.5, .kept = 0.25, .seed = 7};

class histories : public testing::Test {
protected:
    ~histories() override {
        begin_again();
        std::filesystem::remove(file_);
    }

    static void begin_again() {
        for (const auto& [memory, bytes] : ledger.live) {
            std::free(memory);
        }
        ledger = {};
    }

    /// Returns: the path of a recording of these events.
    std::string recorded(std::vector<std::uint32_t> events, std::uint64_t slots,
                         std::uint64_t magic = recording::trailer::right_magic) const {
        const recording::trailer end{events.size(), slots, magic};
        std::ofstream out(file_, std::ios::binary);
        out.write(reinterpret_cast<const char*>(events.data()),
                  static_cast<std::streamsize>(events.size() * sizeof events[0]));
        out.write(reinterpret_cast<const char*>(&end), sizeof end);
        return file_;
    }

    std::string file_ =
        (std::filesystem::temp_directory_path() / ("history." + std::to_string(::getpid()))).string();
};

std::string read_error(std::string_view text) {
    model result;
    return std::string(read_model(text, result));
}

std::uint32_t freed(std::uint32_t slot) {
    return recording::freed | slot;
}

/// Returns: the exit status of a child process that runs `body`.
template <typename Body>
int in_child(Body body) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(body());
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_F(histories, leaves_what_it_reports) {
    const remains left = age(accounted, small);
    EXPECT_EQ(left.failed, failure::none);
    EXPECT_EQ(left.live_blocks, ledger.live.size());
    EXPECT_EQ(left.live_bytes, ledger.live_bytes);
    EXPECT_EQ(left.requests, ledger.requests);
    EXPECT_EQ(ledger.frees_of_foreign, 0U);
    EXPECT_EQ(left.needed_pages, (ledger.live_bytes + 4095) / 4096);
}

TEST_F(histories, keeps_to_the_figures) {
    const remains left = age(accounted, small);
    const auto peak_blocks = small.peak_bytes / 32; // the mean size
    EXPECT_NEAR(static_cast<double>(left.live_blocks), 0.25 * static_cast<double>(peak_blocks),
                0.03 * static_cast<double>(peak_blocks));
    EXPECT_NEAR(static_cast<double>(left.requests), 2.0 * static_cast<double>(peak_blocks) + 300'000,
                0.2 * static_cast<double>(peak_blocks));
    // The slots of settling may hold large blocks.
    EXPECT_LT(ledger.most_bytes, small.peak_bytes * 2 + (1 << 20));
    for (const auto& [memory, bytes] : ledger.live) {
        ASSERT_GE(bytes, 16U);
        ASSERT_LE(bytes, 2048U);
    }
}

TEST_F(histories, have_blocks_of_the_sizes_that_are_set) {
    model figures = small;
    figures.least_bytes = 100;
    figures.most_bytes = 300;
    static_cast<void>(age(accounted, figures));
    const auto [least, most] =
        std::minmax_element(ledger.live.begin(), ledger.live.end(),
                            [](const auto& left, const auto& right) { return left.second < right.second; });
    EXPECT_GE(least->second, 100U);
    EXPECT_LT(least->second, 120U);
    EXPECT_EQ(most->second, 300U); // one in nine
}

TEST_F(histories, may_have_blocks_of_one_size) {
    model figures = small;
    figures.least_bytes = figures.most_bytes = 1000;
    const remains left = age(accounted, figures);
    EXPECT_EQ(left.live_blocks, static_cast<std::uint64_t>(0.25 * ((256 << 10) / 1000 + 1)));
    EXPECT_EQ(left.live_bytes, left.live_blocks * 1000);
}

TEST_F(histories, diffuse_the_blocks_that_stay) {
    const remains left = age(accounted, {.peak_bytes = 1 << 20, .rounds = 2, .replaced = 1, .kept = 0.2});
    EXPECT_GT(left.live_pages, 2 * left.needed_pages);
    EXPECT_GT(left.median_run, 32U);
}

TEST_F(histories, repeat_by_their_seed) {
    std::vector<std::size_t> sizes[3];
    const std::uint64_t seeds[3]{7, 7, 8};
    for (std::size_t index = 0; index < 3; ++index) {
        model figures = small;
        figures.seed = seeds[index];
        static_cast<void>(age(accounted, figures));
        for (const auto& [memory, bytes] : ledger.live) {
            sizes[index].push_back(bytes);
        }
        std::sort(sizes[index].begin(), sizes[index].end());
        begin_again();
    }
    EXPECT_EQ(sizes[0], sizes[1]);
    EXPECT_NE(sizes[0], sizes[2]);
}

TEST_F(histories, of_young_heaps_request_nothing) {
    const remains left = age(accounted, levels[0].figures);
    EXPECT_EQ(left.failed, failure::none);
    EXPECT_EQ(ledger.requests, 0U);
    EXPECT_EQ(left.resident_before, left.resident_after);
}

TEST_F(histories, preserve_errno) {
    errno = 77;
    static_cast<void>(age(accounted, small));
    EXPECT_EQ(errno, 77);
}

TEST_F(histories, free_by_the_size_of_the_request) {
    ASSERT_EQ(age(sized, small).failed, failure::none);
    recording events;
    ASSERT_TRUE(events.open(recorded({100, 48, freed(1), 5000, freed(0), freed(1)}, 2).c_str()));
    ASSERT_EQ(age(sized, small, &events).failed, failure::none);
    EXPECT_GT(ledger.live.size(), 0U);
    EXPECT_EQ(ledger.frees_of_foreign, 0U);
}

TEST_F(histories, free_everything_if_a_request_fails) {
    model figures = small;
    figures.peak_bytes = 64 << 10;
    const std::uint64_t all = age(accounted, figures).requests;
    for (const bool recovers : {false, true}) {
        for (std::uint64_t request = 0; request < all; request += request < 4200 ? 41 : all / 4) {
            begin_again();
            ledger.fails_at = request;
            ledger.recovers = recovers;
            const remains left = age(accounted, figures);
            ASSERT_EQ(left.failed, failure::no_block) << request;
            ASSERT_TRUE(ledger.live.empty()) << request;
            ASSERT_EQ(left.live_blocks, 0U) << request;
            ASSERT_EQ(ledger.frees_of_foreign, 0U) << request;
        }
    }
}

TEST_F(histories, need_memory_for_their_tables) {
#if defined(MALLARD_ASAN) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs more address space than the limit allows";
#else
    const int status = in_child([] {
        const rlimit limit{256 << 20, 256 << 20};
        ::setrlimit(RLIMIT_AS, &limit);
        const model figures{.peak_bytes = std::uint64_t{1} << 30, .rounds = 1, .replaced = 1, .kept = 1};
        const remains left = age(accounted, figures);
        return left.failed == failure::no_tables && ledger.requests == 0 ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
#endif
}

TEST_F(histories, report_the_memory_of_the_process) {
    const model figures{.peak_bytes = 8 << 20, .rounds = 1, .replaced = 1, .kept = 1};
    const remains left = age({take_fresh, [](void*) {}}, figures);
    ASSERT_NE(left.resident_before, remains::unknown);
    EXPECT_GT(left.resident_after, left.resident_before + (6 << 20));
    const resident_memory memory = read_resident_memory();
    EXPECT_GT(memory.file_bytes, 0U);
    EXPECT_GT(memory.bytes, memory.file_bytes);
}

TEST_F(histories, know_free_chunks_of_the_c_library_alone) {
    EXPECT_EQ(count_free_chunks(accounted).count, remains::unknown);
    EXPECT_EQ(count_held_memory(accounted).bytes, remains::unknown);
#if !defined(MALLARD_ASAN) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
    const int status = in_child([] { // which ends with what the history left
        const remains left = age({std::malloc, std::free}, small);
        const held_memory held = count_held_memory({std::malloc, std::free});
        const bool is_held = held.bytes > held.free_bytes && held.free_bytes > 0;
        return left.free_chunks != remains::unknown && left.free_chunks > 10 && left.free_bytes > 0 && is_held
                   ? 0
                   : 1;
    });
    EXPECT_EQ(status, 0);
#endif
}

TEST_F(histories, of_a_recording_use_its_sizes) {
    // Three blocks of 100, 48 and 5,000 bytes; the second slot is used again.
    recording events;
    ASSERT_TRUE(events.open(recorded({100, 48, freed(1), 5000, freed(0), freed(1)}, 2).c_str()));
    model figures = small;
    figures.kept = 0.5;
    const remains left = age(accounted, figures, &events);
    EXPECT_EQ(left.failed, failure::none);
    EXPECT_EQ(left.live_blocks, ledger.live.size());
    EXPECT_GT(left.live_blocks, 10U);
    for (const auto& [memory, bytes] : ledger.live) {
        ASSERT_TRUE(bytes == 100 || bytes == 48 || bytes == 5000) << bytes;
    }
    EXPECT_LT(ledger.most_bytes, small.peak_bytes * 2 + (1 << 20));
    EXPECT_EQ(ledger.frees_of_foreign, 0U);
}

TEST_F(histories, of_a_recording_end_if_nothing_is_kept) {
    recording events;
    ASSERT_TRUE(
        events.open(recorded({100'000, freed(0), 0}, 1).c_str())); // larger than an eighth of the peak
    model figures = small;
    figures.kept = 0;
    const remains left = age(accounted, figures, &events);
    EXPECT_EQ(left.failed, failure::none);
    EXPECT_TRUE(ledger.live.empty());
    EXPECT_LT(left.requests, 300'010U);
}

TEST_F(histories, reject_wrong_events) {
    for (const auto& wrong :
         {std::vector<std::uint32_t>{freed(0)}, {16, freed(1)}, {16, freed(0), freed(0)}, {16, 16}}) {
        recording events;
        ASSERT_TRUE(events.open(recorded(wrong, 1).c_str()));
        const remains left = age(accounted, small, &events);
        EXPECT_EQ(left.failed, failure::wrong_recording);
        EXPECT_TRUE(ledger.live.empty());
        EXPECT_EQ(ledger.frees_of_foreign, 0U);
    }
}

TEST_F(histories, reject_files_that_are_no_recording) {
    EXPECT_FALSE(recording().open("/nonexistent"));
    EXPECT_FALSE(recording().open("/"));
    EXPECT_FALSE(recording().open(recorded({16}, 1, 1234).c_str()));
    EXPECT_FALSE(recording().open(recorded({16}, 0).c_str()));
    EXPECT_FALSE(recording().open(recorded({16}, 2).c_str()));
    const std::string cut = recorded({16, 16}, 1);
    std::filesystem::resize_file(cut, sizeof(recording::trailer) + 5);
    EXPECT_FALSE(recording().open(cut.c_str()));
    std::filesystem::resize_file(cut, 3);
    EXPECT_FALSE(recording().open(cut.c_str()));
}

TEST(ages, are_levels_and_settings) {
    model result;
    EXPECT_EQ(read_model("young", result), "");
    EXPECT_EQ(result.peak_bytes, 0U);
    EXPECT_EQ(read_model("old", result), "");
    EXPECT_EQ(result.peak_bytes, 96U << 20);
    EXPECT_EQ(read_model("used,peak=200M,keep=0.25,rounds=9,replace=0.5,seed=3", result), "");
    EXPECT_EQ(result.peak_bytes, 200U << 20);
    EXPECT_EQ(result.kept, 0.25);
    EXPECT_EQ(result.rounds, 9U);
    EXPECT_EQ(result.replaced, 0.5);
    EXPECT_EQ(result.seed, 3U);
    EXPECT_EQ(read_model("old,sizes=64-4K", result), "");
    EXPECT_EQ(result.least_bytes, 64U);
    EXPECT_EQ(result.most_bytes, 4096U);
    EXPECT_EQ(read_model("sizes=1M", result), "");
    EXPECT_EQ(result.least_bytes, 1U << 20);
    EXPECT_EQ(result.most_bytes, 1U << 20);
    EXPECT_EQ(read_model("peak=64G", result), "");
    EXPECT_EQ(result.most_bytes, 2048U); // old's
    EXPECT_EQ(result.peak_bytes, std::uint64_t{64} << 30);
    EXPECT_EQ(result.rounds, 3U); // old's
}

TEST(ages, name_the_wrong_part) {
    EXPECT_EQ(read_error("ancient"), "ancient");
    EXPECT_EQ(read_error("old,used"), "used");
    EXPECT_EQ(read_error("old,peak=63K"), "peak=63K");
    EXPECT_EQ(read_error("old,peak=65G"), "peak=65G");
    EXPECT_EQ(read_error("peak=99999999999999999999"), "peak=99999999999999999999");
    EXPECT_EQ(read_error("peak=-1"), "peak=-1");
    EXPECT_EQ(read_error("peak="), "peak=");
    EXPECT_EQ(read_error("keep=1.1"), "keep=1.1");
    EXPECT_EQ(read_error("keep=."), "keep=.");
    EXPECT_EQ(read_error("keep=0.1.2"), "keep=0.1.2");
    EXPECT_EQ(read_error("rounds=1001"), "rounds=1001");
    EXPECT_EQ(read_error("old,depth=1"), "depth=1");
    for (const char* const wrong : {"sizes=", "sizes=15", "sizes=64-32", "sizes=16-", "sizes=-64",
                                    "sizes=16-2M", "sizes=16-32-64", "sizes=0-64"}) {
        EXPECT_EQ(read_error(wrong), wrong);
    }
    EXPECT_EQ(read_error("seed=9223372036854775808"), "seed=9223372036854775808");
    EXPECT_EQ(read_error(""), "an empty part");
    EXPECT_EQ(read_error("old,"), "an empty part");
    EXPECT_EQ(read_error("old,,keep=1"), "an empty part");
}

TEST(ages, keep_the_result_if_they_are_wrong) {
    model result = small;
    EXPECT_NE(read_model("used,keep=2", result), "");
    EXPECT_EQ(result.peak_bytes, small.peak_bytes);
}
