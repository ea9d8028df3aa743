#include "upstream/chunk_bins.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <utility>
#include <vector>

namespace {

using namespace mallard::chunk_bins;
using numbers = std::vector<std::size_t>;

constexpr std::size_t kib = 1 << 10;
constexpr std::size_t mib = 1 << 20;

TEST(chunk_bin, is_that_of_the_size_class) {
    EXPECT_EQ(bin_index(1, 1), bin_index(16, 16));
    EXPECT_EQ(chunk_bytes(bin_index(0, 1)), 2 * sizeof(void*)) << "room for two links";
    EXPECT_EQ(chunk_bytes(bin_index(17, 8)), 24U);
    EXPECT_EQ(bin_index(64 * mib, 16), class_count - 1);
    EXPECT_EQ(chunk_bytes(class_count - 1), 64 * mib);
    EXPECT_EQ(bin_index(64 * mib + 1, 16), bin_count);
    EXPECT_EQ(bin_index(SIZE_MAX, 1), bin_count);
    EXPECT_EQ(chunk_alignment(class_count - 1), mallard::fundamental_alignment);
}

TEST(chunk_bin, of_aligned_slabs_lies_behind_the_classes) {
    std::size_t expected = class_count;
    for (std::size_t bytes = 4 * kib; bytes != 128 * kib; bytes *= 2, ++expected) {
        for (const std::size_t alignment : {std::size_t{32}, bytes / 2, bytes}) {
            EXPECT_EQ(bin_index(bytes, alignment), expected);
        }
        EXPECT_LT(bin_index(bytes, 16), class_count);
        EXPECT_EQ(bin_index(bytes, 2 * bytes), bin_count);
        EXPECT_EQ(chunk_bytes(expected), bytes);
        EXPECT_EQ(chunk_alignment(expected), bytes);
    }
    EXPECT_EQ(bin_count, expected);
    for (const std::size_t bytes : {2 * kib, 4 * kib + 1, 12 * kib, 112 * kib}) {
        EXPECT_EQ(bin_index(bytes, 32), bin_count) << bytes;
    }
}

TEST(chunk_bin, of_pages_has_any_alignment) {
    const std::size_t pages = bin_index(128 * kib, 16);
    EXPECT_EQ(bin_index(128 * kib, 64 * kib), pages);
    EXPECT_EQ(bin_index(128 * kib - 1, mib), pages);
    EXPECT_EQ(bin_index(120 * kib + 1, 32), pages);
    EXPECT_EQ(bin_index(64 * mib, mib), class_count - 1);
}

TEST(chunk_bin, decays_by_a_part_of_each_release) {
    EXPECT_EQ(decay_bytes(0), 256U);
    EXPECT_EQ(decay_bytes(3200), 356U);
}

/// Two lists of offered chunks, and the same in deques.
TEST(offered_chunks, are_lists_that_share_their_entries) {
    constexpr std::uint32_t most = 5;
    std::array<offered_chunks::entry, most> entries;
    offered_chunks lists(entries.data(), most);
    std::array<std::uint32_t, 2> list{};
    std::array<std::deque<void*>, 2> expected;
    std::array<char, 4096> places; // the chunks, which are not accessed
    std::mt19937 random(1);
    for (char& place : places) {
        const std::size_t i = random() % 2;
        if (random() % 8 < 5) {
            const bool has_room = expected[0].size() + expected[1].size() != most;
            ASSERT_EQ(lists.put(list[i], &place), has_room);
            if (has_room) {
                expected[i].push_back(&place);
            }
        } else if (!expected[i].empty()) {
            const bool is_newest = random() % 2 == 0;
            lists.drop(list[i], is_newest ? list[i] : lists.oldest(list[i]));
            is_newest ? expected[i].pop_back() : expected[i].pop_front();
        }
        for (const std::size_t j : {0U, 1U}) {
            ASSERT_EQ(list[j] == 0, expected[j].empty());
            ASSERT_EQ(lists.oldest(list[j]) == 0, expected[j].empty());
            if (list[j] != 0) {
                ASSERT_EQ(lists.chunk(list[j]), expected[j].back());
                ASSERT_EQ(lists.chunk(lists.oldest(list[j])), expected[j].front());
            }
        }
    }
}

std::size_t never() noexcept {
    return SIZE_MAX;
}

std::size_t always() noexcept {
    return 0;
}

constexpr std::uint32_t most_offered = 3;

/// Chunks of 128 KiB, known by their numbers. Every second one lies at a multiple of 256 KiB.
class waiting_chunks : public ::testing::Test {
protected:
    static constexpr std::size_t bytes = 128 * kib;
    static constexpr std::size_t count = 16;
    static constexpr std::size_t none = count;

    waiting_chunks() : memory_(static_cast<std::byte*>(mallard::pages().allocate(count * bytes, 2 * bytes))) {
        handed_on().clear();
    }

    ~waiting_chunks() override {
        bins_.empty(receive);
        EXPECT_EQ(bins_.bytes(), 0U);
        EXPECT_EQ(bins_.offered_bytes(), 0U);
        mallard::core::unpoison(memory_, count * bytes);
        mallard::pages().deallocate(memory_, count * bytes, 2 * bytes);
    }

    std::byte* chunk(std::size_t number) const { return memory_ + number * bytes; }

    bool put(std::size_t number, std::size_t (*least_offered)() noexcept = never) {
        return bins_.put(chunk(number), index_, least_offered);
    }

    void put_all(const numbers& all, std::size_t (*least_offered)() noexcept = never) {
        for (const std::size_t number : all) {
            EXPECT_TRUE(put(number, least_offered));
        }
    }

    std::size_t take(std::size_t alignment = 1) {
        const void* const p = bins_.take(index_, alignment);
        return p == nullptr ? none : number_of(p);
    }

    numbers take_many(std::size_t some) {
        numbers all(some);
        for (std::size_t& number : all) {
            number = take();
        }
        return all;
    }

    /// Effects: ends an epoch that began with the last one, as if no chunk was released but in the last step.
    void end_epoch(std::size_t last_step_bytes = 0) {
        EXPECT_EQ(bins_.decay(operations_an_epoch - operations_a_step, 0, receive), 0U);
        EXPECT_EQ(bins_.decay(operations_a_step, last_step_bytes, receive), last_step_bytes);
    }

    /// Effects: leaves 3, 4 and 5 as needed, and 6, 7, 2, 1, 0 as cold chunks of two epochs.
    void leave_cold_chunks() {
        put_all({0, 1, 2, 3, 4, 5, 6, 7});
        end_epoch();
        EXPECT_EQ(take_many(5), (numbers{7, 6, 5, 4, 3}));
        put_all({7, 6, 5, 4, 3});
        end_epoch();
        EXPECT_EQ(take_many(3), (numbers{3, 4, 5}));
        put_all({5, 4, 3});
        end_epoch();
        EXPECT_EQ(bins_.bytes(), 8 * bytes);
        EXPECT_EQ(handed(), numbers{});
    }

    static void receive(void* p, std::size_t index) noexcept { handed_on().emplace_back(p, index); }

    static std::vector<std::pair<void*, std::size_t>>& handed_on() {
        static std::vector<std::pair<void*, std::size_t>> all;
        return all;
    }

    numbers handed() const {
        numbers all;
        for (const auto& [p, index] : handed_on()) {
            EXPECT_EQ(index, index_);
            all.push_back(number_of(p));
        }
        return all;
    }

private:
    std::size_t number_of(const void* p) const {
        return static_cast<std::size_t>(static_cast<const std::byte*>(p) - memory_) / bytes;
    }

    std::byte* memory_;

protected:
    const std::size_t index_ = bin_index(bytes, 1);
    bins_for<most_offered> bins_;
};

TEST_F(waiting_chunks, are_taken_from_the_newest_on) {
    EXPECT_EQ(take(), none);
    put_all({0, 1, 2});
    EXPECT_EQ(bins_.bytes(), 3 * bytes);
    EXPECT_EQ(take_many(4), (numbers{2, 1, 0, none}));
    EXPECT_EQ(bins_.bytes(), 0U);
}

TEST_F(waiting_chunks, stay_where_the_newest_is_not_aligned) {
    put_all({0, 1});
    EXPECT_EQ(take(2 * bytes), none);
    EXPECT_EQ(bins_.bytes(), 2 * bytes);
    EXPECT_EQ(take(bytes), 1U);
    EXPECT_EQ(take(2 * bytes), 0U);
    put_all({2, 3}, always);
    EXPECT_EQ(take(2 * bytes), none);
    EXPECT_EQ(take(bytes), 3U);
    EXPECT_EQ(take(2 * bytes), 2U);
}

TEST_F(waiting_chunks, are_offered_up_to_a_number) {
    put_all({0, 1, 2}, always);
    EXPECT_FALSE(put(3, always));
    EXPECT_EQ(bins_.bytes(), 3 * bytes);
    EXPECT_EQ(bins_.offered_bytes(), 3 * bytes);
    EXPECT_TRUE(put(4));
    EXPECT_EQ(take_many(2), (numbers{4, 2})) << "the newest, but warm ones first";
    EXPECT_EQ(bins_.bytes(), 2 * bytes);
    EXPECT_EQ(bins_.offered_bytes(), 2 * bytes);
    EXPECT_TRUE(put(2, always));
    EXPECT_EQ(take_many(4), (numbers{2, 1, 0, none}));
}

TEST_F(waiting_chunks, are_offered_from_a_size_on) {
    put_all({0}, []() noexcept { return bytes; });
    EXPECT_EQ(bins_.offered_bytes(), bytes);
    put_all({1}, []() noexcept { return bytes + 1; });
    EXPECT_EQ(bins_.offered_bytes(), bytes);
    ASSERT_TRUE(bins_.put(chunk(2), bin_index(64 * kib, 1), always));
    EXPECT_EQ(bins_.offered_bytes(), bytes) << "not pages";
    EXPECT_EQ(bins_.bytes(), 2 * bytes + 64 * kib);
    EXPECT_EQ(bins_.take(bin_index(64 * kib, 1), 1), chunk(2));
}

#ifdef MALLARD_ASAN
TEST_F(waiting_chunks, are_poisoned_but_for_their_links) {
    put_all({0});
    EXPECT_EQ(__asan_region_is_poisoned(chunk(0), bytes), chunk(0) + 2 * sizeof(void*));
    EXPECT_TRUE(__asan_address_is_poisoned(chunk(1) - 1));
    EXPECT_EQ(__asan_region_is_poisoned(chunk(1), bytes), nullptr);
    EXPECT_EQ(take(), 0U);
    EXPECT_EQ(__asan_region_is_poisoned(chunk(0), bytes), nullptr);
    put_all({2}, always);
    EXPECT_EQ(__asan_region_is_poisoned(chunk(2), bytes), chunk(2));
    EXPECT_TRUE(__asan_address_is_poisoned(chunk(3) - 1));
    EXPECT_EQ(__asan_region_is_poisoned(chunk(3), bytes), nullptr);
    EXPECT_EQ(take(), 2U);
    EXPECT_EQ(__asan_region_is_poisoned(chunk(2), bytes), nullptr);
}
#endif

TEST_F(waiting_chunks, decay_in_steps_of_operations) {
    EXPECT_EQ(bins_.decay(operations_a_step - 1, 1, receive), 0U);
    EXPECT_EQ(bins_.decay(1, 2, receive), 3U);
    EXPECT_EQ(bins_.decay(operations_a_step, 0, receive), 0U);
    constexpr std::size_t most_bytes = (std::size_t{1} << 40) - 1;
    EXPECT_EQ(bins_.decay(2 * operations_a_step, most_bytes, receive), most_bytes);
    EXPECT_EQ(bins_.decay(operations_a_step, 5, receive), 5U);
}

TEST_F(waiting_chunks, are_idle_after_an_epoch_of_operations) {
    put_all({0}, always);
    bins_.decay(operations_an_epoch / 2, bytes, receive);
    bins_.decay(operations_an_epoch / 2 - 1, bytes, receive);
    EXPECT_EQ(handed(), numbers{});
    bins_.decay(operations_a_step, bytes, receive);
    EXPECT_EQ(handed(), numbers{0});
    EXPECT_EQ(bins_.bytes(), 0U);
    put_all({1}, always);
    bins_.decay(operations_an_epoch - 1, bytes, receive);
    EXPECT_EQ(handed(), numbers{0}) << "the next epoch begins with no operation";
}

TEST_F(waiting_chunks, that_an_epoch_did_not_need_become_cold) {
    put_all({0, 1, 2, 3, 4});
    end_epoch(9 * bytes);
    EXPECT_EQ(handed(), numbers{}) << "they came in this epoch";
    EXPECT_EQ(take_many(2), (numbers{4, 3}));
    put_all({4, 3});
    end_epoch(bytes);
    EXPECT_EQ(handed(), numbers{2});
    bins_.decay(operations_a_step, bytes - 1, receive);
    EXPECT_EQ(handed(), numbers{2}) << "a byte is missing";
    bins_.decay(operations_a_step, 1, receive);
    EXPECT_EQ(handed(), (numbers{2, 1})) << "saved up";
    EXPECT_EQ(take_many(4), (numbers{3, 4, 0, none}));
}

TEST_F(waiting_chunks, of_the_last_epoch_are_handed_on_first) {
    leave_cold_chunks();
    bins_.decay(operations_a_step, 3 * bytes, receive);
    EXPECT_EQ(handed(), (numbers{6, 7, 2}));
    EXPECT_EQ(bins_.bytes(), 5 * bytes);
    bins_.decay(operations_a_step, 9 * bytes, receive);
    EXPECT_EQ(handed(), (numbers{6, 7, 2, 1, 0}));
    EXPECT_EQ(take_many(4), (numbers{3, 4, 5, none})) << "those that were needed";
}

TEST_F(waiting_chunks, serve_requests_beyond_the_needed_ones) {
    leave_cold_chunks();
    EXPECT_EQ(take_many(6), (numbers{3, 4, 5, 6, 7, 2}));
    bins_.decay(operations_a_step, 9 * bytes, receive);
    EXPECT_EQ(handed(), (numbers{1, 0}));
    EXPECT_EQ(take(), none);
}

TEST_F(waiting_chunks, that_are_cold_stay_where_they_are_not_aligned) {
    put_all({1, 2});
    end_epoch();
    EXPECT_EQ(take(), 2U);
    EXPECT_TRUE(put(2));
    end_epoch();
    EXPECT_EQ(take(), 2U);
    EXPECT_EQ(take(2 * bytes), none);
    EXPECT_EQ(take(bytes), 1U);
}

TEST_F(waiting_chunks, that_were_offered_first_are_handed_on_first) {
    put_all({0, 1, 2}, always);
    end_epoch(2 * bytes);
    EXPECT_EQ(handed(), (numbers{0, 1}));
    EXPECT_EQ(bins_.offered_bytes(), bytes);
    EXPECT_EQ(take_many(2), (numbers{2, none}));
}

TEST_F(waiting_chunks, that_the_epoch_needs_stay_offered) {
    put_all({0, 1, 2}, always);
    end_epoch();
    EXPECT_EQ(take_many(2), (numbers{2, 1}));
    put_all({1, 2}, always);
    bins_.decay(operations_a_step, 9 * bytes, receive);
    EXPECT_EQ(handed(), numbers{0});
    EXPECT_EQ(take_many(3), (numbers{2, 1, none}));
}

TEST_F(waiting_chunks, save_nothing_up_where_there_are_no_more) {
    put_all({0}, always);
    end_epoch(9 * bytes);
    EXPECT_EQ(handed(), numbers{0});
    put_all({1}, always);
    end_epoch(bytes - 1);
    EXPECT_EQ(handed(), numbers{0});
    bins_.decay(operations_a_step, 1, receive);
    EXPECT_EQ(handed(), (numbers{0, 1}));
}

TEST_F(waiting_chunks, make_room_by_cold_ones) {
    leave_cold_chunks();
    EXPECT_TRUE(bins_.make_room(bytes, 9 * bytes, receive));
    EXPECT_FALSE(bins_.make_room(2 * bytes, 2 * bytes - 1, receive));
    EXPECT_EQ(handed(), numbers{});
    EXPECT_TRUE(bins_.make_room(bytes, 9 * bytes - 1, receive));
    EXPECT_EQ(handed(), numbers{6});
    EXPECT_TRUE(bins_.make_room(bytes, 6 * bytes, receive));
    EXPECT_EQ(handed(), (numbers{6, 7, 2}));
    EXPECT_FALSE(bins_.make_room(bytes, 3 * bytes, receive));
    EXPECT_EQ(handed(), (numbers{6, 7, 2, 1, 0}));
    EXPECT_EQ(bins_.bytes(), 3 * bytes);
    EXPECT_TRUE(bins_.make_room(bytes, 4 * bytes, receive));
    EXPECT_FALSE(bins_.make_room(4 * bytes, 4 * bytes, receive)) << "as large as all";
}

TEST_F(waiting_chunks, are_all_handed_on_at_the_end) {
    leave_cold_chunks();
    put_all({8, 9}, always);
    const std::size_t slabs = bin_index(64 * kib, 64 * kib);
    const std::size_t largest_slab_bin = bin_count - 1;
    EXPECT_EQ(slabs, largest_slab_bin);
    EXPECT_TRUE(bins_.put(chunk(10), slabs, never));
    bins_.empty(receive);
    EXPECT_EQ(handed_on().back(), (std::pair<void*, std::size_t>(chunk(10), slabs)));
    handed_on().pop_back();
    EXPECT_EQ(handed(), (numbers{3, 4, 5, 6, 7, 2, 1, 0, 9, 8}));
}

TEST_F(waiting_chunks, report_a_chunk_that_was_returned_twice) {
    EXPECT_DEATH(
        {
            put_all({0, 0});
            take_many(3);
        },
        "damaged|twice");
}

TEST_F(waiting_chunks, report_a_link_that_was_written_to) {
    put_all({0, 1, 2});
    end_epoch();
    EXPECT_EQ(take(), 2U);
    EXPECT_TRUE(put(2));
    EXPECT_DEATH(
        {
            std::memset(chunk(2), 0, sizeof(void*));
            end_epoch();
        },
        "damaged|twice");
}

} // namespace
