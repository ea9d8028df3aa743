#include <mallard/impl/space/room_table.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>

namespace {

using mallard::space::room_table;

class rooms : public ::testing::TestWithParam<std::size_t> {
protected:
    static constexpr std::size_t room_bytes = 96;

    /// Every second room of the row is entered, the last ones first.
    rooms() {
        EXPECT_TRUE(table_.is_complete());
        for (std::size_t i = GetParam(); i-- != 0;) {
            table_.add(room_begin(i), room_begin(i) + room_bytes);
        }
        table_.sort();
    }

    [[nodiscard]] std::byte* room_begin(std::size_t i) const { return memory_.get() + 2 * i * room_bytes; }
    [[nodiscard]] bool has(const std::byte* p) const {
        return table_.has_block_at(reinterpret_cast<std::uintptr_t>(p));
    }

    std::unique_ptr<std::byte[]> memory_{new std::byte[2 * room_bytes * (GetParam() + 1)]};
    room_table table_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(few_and_many, rooms,
                         ::testing::Values(0, 1, 2, room_table::few, room_table::few + 1, 5000));

TEST_P(rooms, have_blocks_where_one_has_room) {
    for (std::size_t i = 0; i != GetParam(); ++i) {
        const std::byte* const begin = room_begin(i);
        EXPECT_TRUE(has(begin));
        EXPECT_TRUE(has(begin + room_bytes - 32));
        EXPECT_FALSE(has(begin + room_bytes - 31)) << "it would end behind the room";
        EXPECT_FALSE(has(begin + room_bytes));
        EXPECT_FALSE(has(begin + room_bytes + 8));
        EXPECT_FALSE(has(begin - 1));
    }
}

TEST_P(rooms, have_no_blocks_elsewhere) {
    EXPECT_FALSE(table_.has_block_at(0));
    EXPECT_FALSE(table_.has_block_at(1));
    EXPECT_FALSE(table_.has_block_at(UINTPTR_MAX));
    EXPECT_FALSE(has(memory_.get() + 2 * room_bytes * GetParam()));
}

#ifdef __linux__
TEST(room_tables, map_no_memory_for_few_rooms) {
    const auto mapped_pages = [] {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        return pages;
    };
    constexpr std::size_t count = 512; // many, because the file may need some pages for its stream
    static std::array<std::optional<room_table>, count> tables;
    const std::size_t before = mapped_pages();
    for (std::optional<room_table>& table : tables) {
        table.emplace(room_table::few);
    }
    EXPECT_LT(mapped_pages(), before + count / 2);
    for (std::optional<room_table>& table : tables) {
        table.emplace(room_table::few + 1);
    }
    EXPECT_GE(mapped_pages(), before + count);
}
#endif

/// Memory for as many rooms as no system has.
TEST(room_tables, report_allocation_failure) {
    EXPECT_FALSE(room_table(std::size_t{1} << 50).is_complete());
}

} // namespace
