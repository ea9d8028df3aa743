#include <mallard/checking/allocation_site.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/checking/block_registry.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

namespace {

using mallard::allocator_call;
using mallard::misuse;
using mallard::checking::block_registry;

std::vector<mallard::misuse_report>& heard() {
    static std::vector<mallard::misuse_report> reports;
    return reports;
}

/// A registry of blocks that are cut from one room, so that addresses are known.
class registry : public ::testing::Test {
protected:
    registry() {
        heard().clear();
        mallard::set_misuse_handler([](const mallard::misuse_report& r) noexcept { heard().push_back(r); });
    }
    ~registry() override {
        registry_.forget_all(allocator_call::destructor);
        mallard::set_misuse_handler(nullptr);
        mallard::core::unpoison(room_, sizeof room_);
    }

    void* allocate(std::size_t bytes, std::size_t alignment = 8) {
        const auto outer = registry_.around(bytes, alignment);
        used_ += mallard::core::padding_to(room_ + used_, alignment);
        void* const memory = room_ + used_;
        used_ += outer.bytes;
        return registry_.enter(registry_.open(bytes, alignment), memory);
    }

    /// Returns: the blocks to be deallocated now.
    std::optional<block_registry::outer_block> close(void* p, std::size_t bytes, std::size_t alignment) {
        registry_.close(p, bytes, alignment);
        return registry_.next_leaving(allocator_call::deallocate);
    }

    static std::vector<misuse> reported_kinds() {
        std::vector<misuse> all;
        for (const auto& report : heard()) {
            all.push_back(report.kind);
        }
        return all;
    }

    const mallard::allocation_site site_;
    block_registry registry_{block_registry::default_guard_bytes, mallard::no_quarantine};
    alignas(64) std::byte room_[8192];
    std::size_t used_ = 0;
};

TEST_F(registry, ask_for_zones_on_both_sides) {
    EXPECT_EQ(registry_.around(24, 8).bytes, 16U + 24U + 16U);
    EXPECT_EQ(registry_.around(24, 64).bytes, 64U + 24U + 16U);
    EXPECT_EQ(registry_.around(24, 64).alignment, 64U);
    EXPECT_EQ(block_registry(0).around(24, 64).bytes, 24U);
}

TEST_F(registry, have_unique_ids) {
    block_registry second(0);
    EXPECT_NE(registry_.current_state().id, 0U);
    EXPECT_NE(registry_.current_state().id, second.current_state().id);
    EXPECT_EQ(registry_.current_state().id, registry_.current_state().id);
}

TEST_F(registry, refuse_unrepresentable_padded_sizes) {
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 31, std::size_t{PTRDIFF_MAX}}) {
        EXPECT_EQ(registry_.open(bytes, 8), nullptr) << bytes;
    }
    EXPECT_EQ(registry_.open(8, SIZE_MAX / 2 + 1), nullptr);
    EXPECT_NE(registry_.open(8, 8), nullptr);
}

TEST_F(registry, return_blocks_of_mechanism) {
    void* const p = allocate(24, 64);
    EXPECT_TRUE(mallard::core::is_aligned(p, 64));
    const auto outer = close(p, 24, 64);
    ASSERT_TRUE(outer.has_value());
    EXPECT_EQ(outer->p, room_);
    EXPECT_EQ(outer->bytes, 64U + 24U + 16U);
    EXPECT_EQ(outer->alignment, 64U);
    EXPECT_EQ(registry_.live_blocks(), 0U);
    EXPECT_TRUE(heard().empty());
}

TEST_F(registry, name_the_block_around_a_foreign_pointer) {
    static_cast<void>(allocate(24));
    auto* const p = static_cast<std::byte*>(allocate(40, 16));
    static_cast<void>(allocate(24));
    for (const std::ptrdiff_t offset : {-1, 1, 39, 40}) {
        EXPECT_FALSE(close(p + offset, 8, 1).has_value());
        const mallard::misuse_report report = heard().back();
        EXPECT_EQ(report.kind, misuse::foreign_pointer);
        EXPECT_EQ(report.passed_block, p + offset);
        EXPECT_EQ(report.passed_bytes, 8U);
        EXPECT_EQ(report.passed_alignment, 1U);
        const bool inside = offset == 1 || offset == 39;
        EXPECT_EQ(report.block, inside ? p : nullptr) << offset;
        EXPECT_EQ(report.bytes, inside ? 40U : 0U) << offset;
        EXPECT_EQ(report.alignment, inside ? 16U : 0U) << offset;
    }
}

TEST_F(registry, remember_ended_block_under_another) {
    for (int round = 0; round < 100; ++round) { // the table grows, and the address has the same blocks again
        used_ = 0;
        heard().clear();
        const std::uint64_t mark = registry_.next_number();
        void* const p = allocate(40);
        used_ = 320;
        static_cast<void>(allocate(8));
        registry_.forget_since(mark);
        used_ = 0;
        ASSERT_EQ(allocate(24), p);
        EXPECT_FALSE(close(p, 40, 8).has_value());
        EXPECT_EQ(reported_kinds(), std::vector{misuse::use_after_release});
        EXPECT_EQ(heard().back().bytes, 40U);
        EXPECT_TRUE(close(p, 24, 8).has_value()) << "the later block lives";
        EXPECT_EQ(heard().size(), 1U);
        EXPECT_FALSE(close(p, 40, 8).has_value());
        EXPECT_EQ(reported_kinds().back(), misuse::use_after_release);
        EXPECT_FALSE(close(p, 24, 8).has_value());
        EXPECT_EQ(reported_kinds().back(), misuse::double_free);
        EXPECT_EQ(heard().back().ended_before, allocator_call::none);
    }
    used_ = 0;
    registry_.forget_all(allocator_call::release);
}

TEST_F(registry, name_earlier_block_in_double_free) {
    const std::uint64_t mark = registry_.next_number();
    void* const p = allocate(24);
    registry_.forget_since(mark);
    used_ = 0;
    ASSERT_EQ(allocate(24), p);
    EXPECT_TRUE(close(p, 24, 8).has_value());
    EXPECT_TRUE(heard().empty());
    EXPECT_FALSE(close(p, 24, 8).has_value());
    EXPECT_EQ(reported_kinds(), std::vector{misuse::double_free});
    EXPECT_EQ(heard().back().ended_before, allocator_call::rollback);
}

TEST_F(registry, refuse_stale_marks_following_shallower_rollbacks) {
    const auto outer_state = registry_.current_state();
    static_cast<void>(allocate(8));
    const auto inner_state = registry_.current_state();
    registry_.forget_since(outer_state.next_number);
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(allocate(8));
        const auto deep = registry_.current_state();
        static_cast<void>(allocate(8));
        registry_.forget_since(deep.next_number);
        EXPECT_TRUE(registry_.may_go_back(deep));
    }
    EXPECT_TRUE(heard().empty());
    EXPECT_FALSE(registry_.may_go_back(inner_state));
}

TEST_F(registry, adopt_the_live_blocks_of_another) {
    block_registry other(block_registry::default_guard_bytes, mallard::no_quarantine);
    void* const own = allocate(24);
    const auto mark = registry_.current_state();
    const auto others_mark = other.current_state();
    std::vector<void*> blocks;
    for (int i = 0; i != 40; ++i) {
        void* const memory = room_ + used_;
        used_ += other.around(8, 8).bytes;
        blocks.push_back(other.enter(other.open(8, 8), memory));
    }
    other.close(blocks[0], 8, 8);
    static_cast<void>(other.next_leaving(allocator_call::deallocate));
    ASSERT_TRUE(registry_.has_room_for(other));
    registry_.adopt(other);
    EXPECT_EQ(registry_.live_blocks(), 40U);
    EXPECT_EQ(other.live_blocks(), 0U);
    EXPECT_TRUE(registry_.look_up(blocks[39], 8, allocator_call::expand));
    EXPECT_EQ(heard().size(), 0U);
    EXPECT_FALSE(other.look_up(blocks[39], 8, allocator_call::expand));
    EXPECT_FALSE(other.may_go_back(others_mark));
    EXPECT_EQ(reported_kinds(), (std::vector{misuse::foreign_pointer, misuse::stale_mark}));
    EXPECT_EQ(heard()[1].ended_by, allocator_call::adopt);
    ASSERT_TRUE(registry_.may_go_back(mark));
    registry_.forget_since(mark.next_number);
    EXPECT_EQ(registry_.live_blocks(), 1U) << "the adopted ones are the youngest";
    EXPECT_TRUE(registry_.look_up(own, 24, allocator_call::expand));
}

TEST_F(registry, follow_a_block_whose_beginning_moves) {
    void* const p = allocate(24);
    const auto outer = registry_.look_up(p, allocator_call::expand);
    ASSERT_TRUE(outer.has_value());
    EXPECT_EQ(outer->p, room_);
    EXPECT_EQ(registry_.bytes_within(*outer), 24U);
    const auto moved = registry_.follow(p, 40, {.p = room_ + 64, .bytes = 100, .alignment = 8});
    EXPECT_EQ(moved.p, room_ + 64 + 16);
    EXPECT_EQ(moved.bytes, 100U - 16U - 16U);
    EXPECT_FALSE(registry_.look_up(p, allocator_call::usable_bytes).has_value());
    EXPECT_FALSE(registry_.look_up_part(moved.p, 69, allocator_call::shrink).has_value());
    EXPECT_TRUE(registry_.look_up_part(moved.p, 68, allocator_call::shrink).has_value());
    EXPECT_EQ(reported_kinds(), (std::vector{misuse::foreign_pointer, misuse::wrong_size}));
    EXPECT_TRUE(close(moved.p, 40, 8).has_value());
    EXPECT_EQ(heard().size(), 2U);
}

TEST_F(registry, accept_requested_and_granted_sizes) {
    const auto block = registry_.enter_larger(registry_.open(24, 8), room_, 16 + 40 + 16);
    EXPECT_EQ(block.bytes, 40U);
    EXPECT_TRUE(registry_.look_up(block.p, 24, allocator_call::resize_last).has_value());
    EXPECT_TRUE(registry_.look_up(block.p, 40, allocator_call::resize_last).has_value());
    EXPECT_TRUE(heard().empty());
    EXPECT_EQ(close(block.p, 32, 8)->bytes, 16U + 40U + 16U);
    EXPECT_TRUE(heard().empty());
    registry_.close(block.p);
    EXPECT_EQ(reported_kinds(), std::vector{misuse::double_free});
}

TEST_F(registry, count_live_blocks) {
    void* const first = allocate(24);
    static_cast<void>(allocate(100));
    registry_.expect_all_freed(allocator_call::expect_all_freed);
    ASSERT_EQ(heard().size(), 1U);
    EXPECT_EQ(heard()[0].block, first);
    EXPECT_EQ(heard()[0].live_blocks, 2U);
    EXPECT_EQ(heard()[0].live_bytes, 124U);
}

TEST_F(registry, quarantine_holds_blocks_up_to_bounds) {
    registry_.set_quarantine({.blocks = 2, .bytes = std::size_t{3} * (16 + 24 + 16)});
    void* const first = allocate(24);
    void* const second = allocate(24);
    void* const third = allocate(24);
    EXPECT_FALSE(close(first, 24, 8).has_value());
    EXPECT_FALSE(close(second, 24, 8).has_value());
    EXPECT_EQ(registry_.live_blocks(), 1U);
    EXPECT_EQ(registry_.blocks_in_quarantine(), 2U);
    EXPECT_EQ(close(third, 24, 8)->p, static_cast<std::byte*>(first) - 16) << "the first leaves first";
    EXPECT_EQ(close(allocate(100), 100, 8)->p, static_cast<std::byte*>(second) - 16) << "too many bytes";
    EXPECT_EQ(registry_.next_leaving(allocator_call::deallocate)->p, static_cast<std::byte*>(third) - 16);
    EXPECT_EQ(registry_.blocks_in_quarantine(), 1U);
    EXPECT_TRUE(close(allocate(1000), 1000, 8).has_value()) << "larger than the bound: it does not enter";
    EXPECT_EQ(registry_.blocks_in_quarantine(), 1U) << "and no block has to leave the quarantine";
    EXPECT_FALSE(close(first, 24, 8).has_value());
    EXPECT_FALSE(close(third, 24, 8).has_value());
    EXPECT_EQ(reported_kinds(), (std::vector{misuse::double_free, misuse::double_free}));
}

TEST_F(registry, detect_writes_to_quarantined_blocks) {
    registry_.set_quarantine({});
    std::vector<void*> blocks;
    for (int i = 0; i < 4; ++i) {
        blocks.push_back(allocate(24));
        EXPECT_FALSE(close(blocks.back(), 24, 8).has_value());
    }
    const auto write = [&](std::size_t block, std::ptrdiff_t byte) {
        mallard::core::unpoison(room_, sizeof room_);
        static_cast<std::byte*>(blocks[block])[byte] ^= std::byte{1};
    };
    write(0, 5);
    write(1, -1);
    write(2, 24);
    registry_.look_at_all(allocator_call::check);
    ASSERT_EQ(heard().size(), 3U);
    EXPECT_EQ(heard()[0].kind, misuse::write_after_free);
    EXPECT_EQ(heard()[0].block, blocks[0]);
    EXPECT_EQ(heard()[0].changed_byte, 5);
    EXPECT_EQ(heard()[1].changed_byte, -1);
    EXPECT_EQ(heard()[2].changed_byte, 24);
    write(3, 23);
    registry_.let_leave(4);
    while (registry_.next_leaving(allocator_call::release)) {
    }
    ASSERT_EQ(heard().size(), 4U) << "what was reported is not reported again";
    EXPECT_EQ(heard()[3].block, blocks[3]);
    EXPECT_EQ(heard()[3].changed_byte, 23);
    EXPECT_EQ(heard()[3].detected_by, allocator_call::release);
}

TEST_F(registry, release_quarantined_blocks_entered_since_mark) {
    registry_.set_quarantine({});
    void* const older = allocate(8);
    const std::uint64_t mark = registry_.next_number();
    void* const since = allocate(8);
    EXPECT_FALSE(close(since, 8, 8).has_value());
    EXPECT_FALSE(close(older, 8, 8).has_value());
    registry_.let_leave_since(mark);
    EXPECT_EQ(registry_.next_leaving(allocator_call::rollback)->p, static_cast<std::byte*>(since) - 16);
    EXPECT_FALSE(registry_.next_leaving(allocator_call::rollback).has_value());
    EXPECT_EQ(registry_.blocks_in_quarantine(), 1U);
}

TEST_F(registry, use_unused_tail_as_guard_zone) {
    block_registry without(0, mallard::no_quarantine);
    void* const p = without.enter(without.open(20, 4), room_, 4);
    EXPECT_EQ(p, room_);
    mallard::core::unpoison(room_, sizeof room_);
    room_[24] = std::byte{1};
    without.look_at_all(allocator_call::check);
    EXPECT_TRUE(heard().empty()) << "that is behind the zone";
    mallard::core::unpoison(room_, sizeof room_);
    room_[23] = std::byte{1};
    without.close(p, 20, 4);
    EXPECT_EQ(without.next_leaving(allocator_call::deallocate)->bytes, 20U);
    ASSERT_EQ(heard().size(), 1U);
    EXPECT_EQ(heard()[0].kind, misuse::write_past_end);
    EXPECT_EQ(heard()[0].changed_byte, 23);
}

TEST(many_blocks, are_remembered_as_long_as_is_documented) {
    EXPECT_EQ(block_registry::most_dead_records, 16384U) << "docs/library/checked.md";
}

TEST(many_blocks, oldest_dead_records_are_dropped_first) {
    heard().clear();
    mallard::set_misuse_handler([](const mallard::misuse_report& r) noexcept { heard().push_back(r); });
    const mallard::allocation_site site;
    block_registry registry(0, mallard::no_quarantine);
    constexpr std::size_t blocks = block_registry::most_dead_records + 1000;
    std::vector<std::byte> room(16 * blocks);
    const auto address = [&room](std::size_t i) { return static_cast<void*>(&room[16 * i]); };
    for (std::size_t i = 0; i < blocks; ++i) {
        ASSERT_EQ(registry.enter(registry.open(16, 8), address(i)), address(i));
    }
    EXPECT_EQ(registry.live_blocks(), blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
        registry.close(address(i), 16, 8);
        ASSERT_TRUE(registry.next_leaving(allocator_call::deallocate).has_value()) << i;
    }
    EXPECT_TRUE(heard().empty());
    registry.close(address(blocks - 1), 16, 8);
    registry.close(address(0), 16, 8);
    mallard::set_misuse_handler(nullptr);
    ASSERT_EQ(heard().size(), 2U);
    EXPECT_EQ(heard()[0].kind, misuse::double_free);
    EXPECT_EQ(heard()[1].kind, misuse::foreign_pointer) << "too long ago";
}

} // namespace
