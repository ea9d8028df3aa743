#include <mallard/impl/space/heap_block.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace {

using mallard::space::heap_block;

class heap_blocks : public ::testing::Test {
protected:
    alignas(16) std::array<std::byte, 512> room_{};
    std::byte* const first_ = room_.data() + 8;
};

TEST_F(heap_blocks, have_a_header_word) {
    const heap_block b(first_);
    b.set_tag(64 | heap_block::in_use | heap_block::previous_in_use);
    EXPECT_EQ(b.payload(), room_.data() + 16);
    EXPECT_EQ(heap_block::holding(b.payload()), b);
    EXPECT_EQ(b.bytes(), 64U);
    EXPECT_EQ(b.payload_bytes(), 56U);
    EXPECT_EQ(b.next().begin(), first_ + 64);
    EXPECT_TRUE(b.is(heap_block::in_use));
    EXPECT_FALSE(b.is(heap_block::reserved));
}

TEST_F(heap_blocks, keep_their_flags_and_their_bytes_apart) {
    const heap_block b(first_);
    b.set_tag(64 | heap_block::in_use);
    b.set_bytes(96);
    EXPECT_TRUE(b.is(heap_block::in_use));
    EXPECT_FALSE(b.is(heap_block::previous_in_use));
    b.set(heap_block::previous_in_use);
    b.clear(heap_block::in_use);
    EXPECT_EQ(b.tag(), 96 | heap_block::previous_in_use);
}

TEST_F(heap_blocks, free_blocks_are_found_from_behind) {
    const heap_block b(first_);
    b.make_free(48);
    EXPECT_FALSE(b.is(heap_block::in_use));
    EXPECT_TRUE(b.is(heap_block::previous_in_use));
    EXPECT_EQ(b.next().bytes_in_front(), 48U);
    EXPECT_EQ(b.next().previous(), b);
}

TEST_F(heap_blocks, are_null_or_not) {
    EXPECT_FALSE(heap_block());
    EXPECT_TRUE(heap_block(first_));
    EXPECT_EQ(heap_block().begin(), nullptr);
}

template <class Links>
class links_of_heap_blocks : public heap_blocks {};

using kinds_of_links = ::testing::Types<mallard::space::absolute_links, mallard::space::relative_links>;
TYPED_TEST_SUITE(links_of_heap_blocks, kinds_of_links);

TYPED_TEST(links_of_heap_blocks, lead_forward_and_backward_and_nowhere) {
    const heap_block a(this->first_);
    const heap_block b(this->first_ + 64);
    TypeParam::store(a.next_link(), b);
    TypeParam::store(b.previous_link(), a);
    TypeParam::store(b.next_link(), {});
    EXPECT_EQ(TypeParam::load(a.next_link()), b);
    EXPECT_EQ(TypeParam::load(b.previous_link()), a);
    EXPECT_FALSE(TypeParam::load(b.next_link()));
}

TEST_F(heap_blocks, relative_links_survive_relocation) {
    const heap_block a(first_);
    mallard::space::relative_links::store(a.next_link(), heap_block(first_ + 64));
    alignas(16) std::array<std::byte, 512> elsewhere{};
    std::memcpy(elsewhere.data(), room_.data(), room_.size());
    const heap_block copy(elsewhere.data() + 8);
    EXPECT_EQ(mallard::space::relative_links::load(copy.next_link()).begin(), elsewhere.data() + 8 + 64);
}

} // namespace
