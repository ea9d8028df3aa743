#include "equipment/resident_pages.hpp"

#include <mallard/core/prefault.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace {

using equipment::resident_pages;

TEST(prefault, touches_every_page_and_no_other) {
    const std::size_t page = mallard::pages::page_bytes();
    mallard::pages source({.huge = mallard::huge_pages::never});
    auto* const p = static_cast<std::byte*>(source.allocate(8 * page));
    mallard::core::prefault(p, 0);
    EXPECT_EQ(resident_pages(p, 8), 0U);
    mallard::core::prefault(p + 2 * page - 1, 1);
    EXPECT_EQ(resident_pages(p, 8), 1U);
    mallard::core::prefault(p + 4 * page - 1, page + 2);
    EXPECT_EQ(resident_pages(p, 8), 4U) << "the last byte lies on a page that no step meets";
    source.deallocate(p, 8 * page);
}

TEST(prefault, writes_within_its_bytes) {
    std::array<char, 64> bytes{};
    bytes.fill('x');
    mallard::core::prefault(bytes.data() + 8, 48);
    EXPECT_EQ(std::ranges::count(bytes, 'x'), 62);
    EXPECT_EQ(bytes[7], 'x');
    EXPECT_EQ(bytes[56], 'x');
}

TEST(prefault, reaches_poisoned_memory) {
    std::array<char, 64> bytes{};
    bytes.fill('x');
    mallard::core::poison(bytes.data(), bytes.size());
    mallard::core::prefault(bytes.data(), bytes.size());
    mallard::core::unpoison(bytes.data(), bytes.size());
    EXPECT_EQ(bytes[0], 0);
}

} // namespace
