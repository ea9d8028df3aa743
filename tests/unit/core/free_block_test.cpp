#include <mallard/core/free_block.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace {

TEST(free_block, leads_to_another_wherever_it_lies) {
    alignas(16) std::array<std::byte, 64> memory{};
    for (const std::size_t offset : {0U, 4U, 12U, 20U}) {
        void* const place = memory.data() + offset;
        auto* const other = reinterpret_cast<mallard::free_block*>(memory.data() + 40);
        mallard::write_link(place, other);
        EXPECT_EQ(mallard::read_link(place), other);
        mallard::write_link(place, nullptr);
        EXPECT_EQ(mallard::read_link(place), nullptr);
    }
}

TEST(free_block, is_read_and_written_where_nobody_else_may) {
    alignas(16) std::array<std::byte, 32> memory{};
    mallard::poison(memory.data(), memory.size());
    auto* const other = reinterpret_cast<mallard::free_block*>(memory.data() + 16);
    mallard::write_link(memory.data(), other);
    EXPECT_EQ(mallard::read_link(memory.data()), other);
    mallard::unpoison(memory.data(), memory.size());
}

} // namespace
