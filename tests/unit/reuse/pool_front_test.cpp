#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/hybrid_order.hpp>
#include <mallard/reuse/last_freed.hpp>
#include <mallard/reuse/pool_front.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace {

template <class Reuse>
class pool_front : public testing::Test {
protected:
    using classes = mallard::eighth_classes;
    using front_type = mallard::reuse::pool_front<typename Reuse::template by_class<classes>, classes>;

    void serve(std::size_t bytes) {
        this->front_.free().serve(classes::index(bytes), this->front_.classes(), this->table_);
    }

    void TearDown() override {
        mallard::core::unpoison(room_, sizeof room_);
        mallard::core::unpoison(table_, sizeof table_);
    }

    alignas(16) std::byte room_[1024];
    alignas(16) std::byte table_[1024];
    front_type front_{16};
};

using orders = testing::Types<mallard::first_freed, mallard::last_freed, mallard::hybrid_order>;
TYPED_TEST_SUITE(pool_front, orders);

TYPED_TEST(pool_front, carves_and_reuses_blocks_of_a_served_class) {
    this->front_.set_room(this->room_, sizeof this->room_);
    EXPECT_EQ(this->front_.allocate(24, 8), nullptr) << "the pool has to make a list";
    this->serve(24);
    void* const p = this->front_.allocate(24, 8);
    EXPECT_EQ(p, this->room_);
    EXPECT_TRUE(this->front_.deallocate(p, 24, 8));
    EXPECT_EQ(this->front_.allocate(17, 4), p) << "any size of the class";
    EXPECT_TRUE(this->front_.deallocate(p, 17, 4));
    EXPECT_EQ(this->front_.allocate(24, 8), p);
}

TYPED_TEST(pool_front, serves_only_own_classes) {
    this->front_.set_room(this->room_, sizeof this->room_);
    this->serve(128);
    EXPECT_NE(this->front_.allocate(128, 8), nullptr);
    EXPECT_EQ(this->front_.allocate(129, 8), nullptr);
    EXPECT_EQ(this->front_.allocate(120, 8), nullptr) << "a class without a list";
    EXPECT_EQ(this->front_.allocate(SIZE_MAX, 1), nullptr);
    EXPECT_FALSE(this->front_.deallocate(this->room_, 136, 8));
}

TYPED_TEST(pool_front, refuses_block_larger_than_room) {
    this->front_.set_room(this->room_, 64);
    this->serve(72);
    this->serve(64);
    EXPECT_EQ(this->front_.allocate(72, 8), nullptr);
    EXPECT_EQ(this->front_.cursor(), this->room_) << "and leaves the room as it is";
    EXPECT_EQ(this->front_.allocate(64, 8), this->room_);
    EXPECT_EQ(this->front_.cursor(), this->front_.limit());
}

TYPED_TEST(pool_front, front_without_classes_reads_no_block) {
    typename TestFixture::front_type none(0);
    mallard::core::poison(this->room_, sizeof this->room_);
    EXPECT_FALSE(none.deallocate(this->room_, 24, 8));
    EXPECT_EQ(none.allocate(24, 8), nullptr);
}

} // namespace
