#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/quick_lists.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

namespace {

using mallard::space::heap_block;

template <class Links>
class quick_lists : public ::testing::Test {
protected:
    using lists_type = mallard::space::quick_lists<Links>;

    quick_lists() { lists_.clear(room_bytes); }

    /// Returns: a block in use of `bytes` bytes.
    heap_block block(std::size_t bytes) {
        const heap_block b(memory_.get() + 8 + cut_);
        cut_ += bytes;
        b.set_tag(bytes | heap_block::in_use | heap_block::previous_in_use);
        return b;
    }

    /// Returns: true if the lists have `blocks` blocks, and all that they know is sound.
    bool are_sound_with(std::size_t blocks) const {
        return lists_.are_sound(blocks, room_bytes, [](heap_block b, std::size_t bytes) {
            return b.is(heap_block::quick) && b.is(heap_block::in_use) && b.bytes() == bytes;
        });
    }

    static constexpr std::size_t room_bytes = std::size_t{1} << 20;
    static constexpr std::size_t limit = room_bytes / 16;

    std::unique_ptr<std::byte[]> memory_{new std::byte[room_bytes + 8]};
    std::size_t cut_ = 0;
    lists_type lists_;
};

using links = ::testing::Types<mallard::space::absolute_links, mallard::space::relative_links>;
TYPED_TEST_SUITE(quick_lists, links);

TYPED_TEST(quick_lists, return_the_last_block_of_a_size_first) {
    const heap_block a = this->block(48);
    const heap_block b = this->block(48);
    const heap_block middle = this->block(64);
    for (const heap_block block : {a, middle, b}) {
        EXPECT_TRUE(this->lists_.put(block, block.bytes()));
        EXPECT_TRUE(block.is(heap_block::quick));
    }
    EXPECT_TRUE(this->are_sound_with(3));
    EXPECT_FALSE(this->lists_.take(32));
    EXPECT_EQ(this->lists_.take(48), b);
    EXPECT_EQ(this->lists_.take(48), a);
    EXPECT_FALSE(this->lists_.take(48));
    EXPECT_EQ(this->lists_.take(64), middle);
    EXPECT_EQ(middle.tag(), 64 | heap_block::in_use | heap_block::previous_in_use);
    EXPECT_TRUE(this->lists_.empty());
}

TYPED_TEST(quick_lists, keep_a_sixteenth_of_the_rooms) {
    std::size_t waiting = 0;
    for (std::size_t bytes = 1024; this->lists_.put(this->block(bytes), bytes); ++waiting) {
        EXPECT_FALSE(this->lists_.take(32)) << "a request, so that no row of frees is too long";
    }
    EXPECT_EQ(waiting, this->limit / 1024);
    EXPECT_FALSE(this->lists_.put(this->block(32), 32));
    EXPECT_TRUE(this->lists_.take(1024));
    EXPECT_TRUE(this->lists_.put(this->block(32), 32));
    EXPECT_TRUE(this->are_sound_with(waiting));
}

TYPED_TEST(quick_lists, keep_a_bounded_number_of_blocks) {
    using lists = typename TestFixture::lists_type;
    this->lists_.clear(std::size_t{1} << 40);
    std::size_t waiting = 0;
    while (waiting != 2 * lists::most_blocks && this->lists_.put(this->block(32), 32)) {
        ++waiting;
        EXPECT_FALSE(this->lists_.take(48)) << "a request, so that no row of frees is too long";
    }
    EXPECT_EQ(waiting, lists::most_blocks);
}

TYPED_TEST(quick_lists, stop_keeping_during_long_free_runs) {
    using lists = typename TestFixture::lists_type;
    for (std::size_t i = 0; i != lists::most_in_a_row; ++i) {
        EXPECT_FALSE(this->lists_.is_end_of_row());
        EXPECT_TRUE(this->lists_.put(this->block(32), 32));
    }
    EXPECT_TRUE(this->lists_.is_end_of_row());
    EXPECT_FALSE(this->lists_.put(this->block(32), 32));
    EXPECT_TRUE(this->lists_.take(32));
    EXPECT_TRUE(this->lists_.put(this->block(32), 32));
    this->lists_.end_row();
    EXPECT_FALSE(this->lists_.put(this->block(32), 32));
    EXPECT_TRUE(this->are_sound_with(lists::most_in_a_row));
}

TYPED_TEST(quick_lists, keep_only_small_blocks_and_need_rooms) {
    using lists = typename TestFixture::lists_type;
    EXPECT_TRUE(this->lists_.put(this->block(lists::largest_bytes), lists::largest_bytes));
    EXPECT_FALSE(this->lists_.put(this->block(lists::largest_bytes + 16), lists::largest_bytes + 16));
    EXPECT_TRUE(this->lists_.take(lists::largest_bytes));
    lists small;
    EXPECT_FALSE(small.put(this->block(32), 32));
    EXPECT_TRUE(small.empty());
}

TYPED_TEST(quick_lists, detect_wrong_count_wrong_size_and_cycle) {
    const heap_block a = this->block(48);
    const heap_block b = this->block(48);
    ASSERT_TRUE(this->lists_.put(a, 48));
    ASSERT_TRUE(this->lists_.put(b, 48));
    EXPECT_TRUE(this->are_sound_with(2));
    EXPECT_FALSE(this->are_sound_with(1));
    EXPECT_FALSE(this->are_sound_with(3));
    a.set_bytes(64);
    EXPECT_FALSE(this->are_sound_with(2));
    a.set_bytes(48);
    TypeParam::store(a.next_link(), b);
    EXPECT_FALSE(this->are_sound_with(2));
}

} // namespace
