/// The pages of a mapping that are in memory.
#pragma once

#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace equipment {

/// Requires: `p` lies at the begin of a page.
inline std::size_t resident_pages(void* p, std::size_t pages) {
    std::vector<unsigned char> in_core(pages);
    EXPECT_EQ(mincore(p, pages * mallard::pages::page_bytes(), in_core.data()), 0);
    return static_cast<std::size_t>(
        std::count_if(in_core.begin(), in_core.end(), [](unsigned char c) { return (c & 1) != 0; }));
}

/// Returns: true if all pages of [p, p + bytes) are in memory.
inline bool is_resident(void* p, std::size_t bytes) {
    const std::size_t page = mallard::pages::page_bytes();
    const std::size_t front = reinterpret_cast<std::uintptr_t>(p) % page;
    const std::size_t pages = (front + bytes + page - 1) / page;
    return resident_pages(static_cast<std::byte*>(p) - front, pages) == pages;
}

} // namespace equipment
