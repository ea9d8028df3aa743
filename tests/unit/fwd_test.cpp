#include <mallard/fwd.hpp>

namespace {

// As a header declares it, with the forward declarations alone: the definitions are included below.
using fast_or_shrinking = mallard::segregate<64, mallard::fast_fit<>, mallard::shrinking_multipool<>>;
using adapted = mallard::counted<mallard::limited<mallard::failing<mallard::recorded<mallard::multipool<>>>>>;
std::size_t chunks(const fast_or_shrinking& memory);
std::size_t allocations(const adapted& memory);
void* take_from(mallard::inline_resource& memory);
void* take_from(mallard::upstream_ref& memory);

} // namespace

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <type_traits>

namespace {

using mallard::chunk_cache;
using mallard::hybrid_order;
using mallard::multipool;

static_assert(std::is_same_v<multipool<>, multipool<chunk_cache, hybrid_order, mallard::eighth_classes>>);
static_assert(
    std::is_same_v<mallard::fast_fit<>, multipool<chunk_cache, hybrid_order, mallard::power_of_two_classes>>);

std::size_t chunks(const fast_or_shrinking& memory) {
    return memory.stats().chunks;
}

std::size_t allocations(const adapted& memory) {
    return memory.counts().allocations;
}

void* take_from(mallard::inline_resource& memory) {
    return memory.allocate(8);
}

void* take_from(mallard::upstream_ref& memory) {
    return memory.allocate(8);
}

TEST(forward_declarations, name_the_types_of_the_headers) {
    alignas(std::max_align_t) std::array<std::byte, 64> bytes{};
    mallard::buffer room(bytes);
    mallard::upstream_ref source(room);
    EXPECT_EQ(take_from(source), bytes.data());

    adapted memory(std::size_t{1} << 20, mallard::failure_plan{.at = 0});
    mallard::resource<adapted&> binding(memory);
    EXPECT_NE(take_from(binding), nullptr);
    EXPECT_EQ(allocations(memory), 1U);
    EXPECT_EQ(chunks(fast_or_shrinking()), 0U);
}

} // namespace
