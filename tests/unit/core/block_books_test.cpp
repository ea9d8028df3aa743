#include <mallard/core/alignment.hpp>
#include <mallard/core/allocation_site.hpp>
#include <mallard/core/block_books.hpp>
#include <mallard/core/sanitizer.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using mallard::allocator_call;
using mallard::block_books;
using mallard::misuse;

std::vector<mallard::misuse_report>& heard() {
    static std::vector<mallard::misuse_report> reports;
    return reports;
}

/// Books of blocks that are cut from one room, so that addresses are known.
class books : public ::testing::Test {
protected:
    books() {
        heard().clear();
        mallard::set_misuse_handler([](const mallard::misuse_report& r) noexcept { heard().push_back(r); });
    }
    ~books() override {
        books_.forget_all(allocator_call::destructor);
        mallard::set_misuse_handler(nullptr);
        mallard::unpoison(room_, sizeof room_);
    }

    void* allocate(std::size_t bytes, std::size_t alignment = 8) {
        const auto whole = books_.around(bytes, alignment);
        used_ += mallard::padding_to(room_ + used_, alignment);
        void* const memory = room_ + used_;
        used_ += whole.bytes;
        return books_.enter(books_.open(bytes, alignment), memory);
    }

    static std::vector<misuse> what_was_heard() {
        std::vector<misuse> all;
        for (const auto& report : heard()) {
            all.push_back(report.what);
        }
        return all;
    }

    const mallard::allocation_site here_;
    block_books books_{block_books::usual_guard_bytes};
    alignas(64) std::byte room_[8192];
    std::size_t used_ = 0;
};

TEST_F(books, ask_for_zones_on_both_sides) {
    EXPECT_EQ(books_.around(24, 8).bytes, 16U + 24U + 16U);
    EXPECT_EQ(books_.around(24, 64).bytes, 64U + 24U + 16U);
    EXPECT_EQ(books_.around(24, 64).alignment, 64U);
    EXPECT_EQ(block_books(0).around(24, 64).bytes, 24U);
}

TEST_F(books, refuse_what_has_no_representation_with_its_zones) {
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 31, std::size_t{PTRDIFF_MAX}}) {
        EXPECT_EQ(books_.open(bytes, 8), nullptr) << bytes;
    }
    EXPECT_EQ(books_.open(8, SIZE_MAX / 2 + 1), nullptr);
    EXPECT_NE(books_.open(8, 8), nullptr);
}

TEST_F(books, return_what_the_mechanism_gave) {
    void* const p = allocate(24, 64);
    EXPECT_TRUE(mallard::is_aligned(p, 64));
    const auto whole = books_.close(p, 24, 64);
    ASSERT_TRUE(whole.has_value());
    EXPECT_EQ(whole->p, room_);
    EXPECT_EQ(whole->bytes, 64U + 24U + 16U);
    EXPECT_EQ(whole->alignment, 64U);
    EXPECT_EQ(books_.live_blocks(), 0U);
    EXPECT_TRUE(heard().empty());
}

TEST_F(books, go_on_with_the_true_numbers) {
    void* const p = allocate(24, 8);
    const auto whole = books_.close(p, 20, 4);
    ASSERT_TRUE(whole.has_value());
    EXPECT_EQ(whole->bytes, 16U + 24U + 16U);
    EXPECT_EQ(what_was_heard(), (std::vector{misuse::wrong_size, misuse::wrong_alignment}));
    EXPECT_FALSE(books_.close(p, 24, 8).has_value());
    EXPECT_EQ(what_was_heard().back(), misuse::double_free);
    EXPECT_FALSE(books_.close(room_, 24, 8).has_value());
    EXPECT_EQ(what_was_heard().back(), misuse::foreign_pointer);
}

TEST_F(books, know_an_address_by_its_last_block) {
    void* const p = allocate(24);
    static_cast<void>(books_.close(p, 24, 8));
    used_ = 0;
    ASSERT_EQ(allocate(40), p);
    EXPECT_TRUE(books_.close(p, 40, 8).has_value());
    EXPECT_TRUE(heard().empty());
}

TEST_F(books, end_what_was_entered_since) {
    void* const before = allocate(8);
    const std::uint64_t mark = books_.next_number();
    void* const since = allocate(8);
    books_.forget_since(mark);
    EXPECT_EQ(books_.live_blocks(), 1U);
    EXPECT_FALSE(books_.close(since, 8, 8).has_value());
    ASSERT_EQ(heard().size(), 1U);
    EXPECT_EQ(heard()[0].what, misuse::use_after_release);
    EXPECT_EQ(heard()[0].ended_by, allocator_call::rollback);
    EXPECT_TRUE(books_.close(before, 8, 8).has_value());
}

TEST_F(books, follow_a_block_that_is_resized) {
    void* const p = allocate(24);
    ASSERT_TRUE(books_.look_up(p, 24, allocator_call::resize_last).has_value());
    mallard::unpoison(room_, sizeof room_);
    books_.resize(p, 40);
    EXPECT_EQ(books_.look_up(p, 24, allocator_call::resize_last)->bytes, 16U + 40U + 16U);
    EXPECT_EQ(what_was_heard(), std::vector{misuse::wrong_size});
    books_.resize(p, 0);
    EXPECT_EQ(books_.live_blocks(), 0U);
}

TEST_F(books, count_what_was_not_freed) {
    void* const first = allocate(24);
    static_cast<void>(allocate(100));
    books_.expect_all_freed(allocator_call::expect_all_freed);
    ASSERT_EQ(heard().size(), 1U);
    EXPECT_EQ(heard()[0].block, first);
    EXPECT_EQ(heard()[0].live_blocks, 2U);
    EXPECT_EQ(heard()[0].live_bytes, 124U);
}

TEST(many_blocks, are_found_and_the_ended_are_forgotten_one_after_the_other) {
    heard().clear();
    mallard::set_misuse_handler([](const mallard::misuse_report& r) noexcept { heard().push_back(r); });
    const mallard::allocation_site here;
    block_books books(0);
    constexpr std::size_t blocks = block_books::most_dead_records + 1000;
    std::vector<std::byte> room(16 * blocks);
    const auto address = [&room](std::size_t i) { return static_cast<void*>(&room[16 * i]); };
    for (std::size_t i = 0; i < blocks; ++i) {
        ASSERT_EQ(books.enter(books.open(16, 8), address(i)), address(i));
    }
    EXPECT_EQ(books.live_blocks(), blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
        ASSERT_TRUE(books.close(address(i), 16, 8).has_value()) << i;
    }
    EXPECT_TRUE(heard().empty());
    static_cast<void>(books.close(address(blocks - 1), 16, 8));
    static_cast<void>(books.close(address(0), 16, 8));
    mallard::set_misuse_handler(nullptr);
    ASSERT_EQ(heard().size(), 2U);
    EXPECT_EQ(heard()[0].what, misuse::double_free);
    EXPECT_EQ(heard()[1].what, misuse::foreign_pointer) << "too long ago";
}

} // namespace
