#include <mallard/impl/space/word_seal.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace {

using mallard::space::seal_words;

constexpr std::size_t word = 0x1234'5678'9abc'def0;

static_assert(seal_words({word, 1, 2}) == seal_words({word, 1, 2}));
static_assert(seal_words({}) != 0);

TEST(word_seal, depends_on_every_bit) {
    const std::size_t right = seal_words({word, 4096, 0});
    for (unsigned bit = 0; bit != 64; ++bit) {
        const std::size_t flip = std::size_t{1} << bit;
        EXPECT_NE(seal_words({word ^ flip, 4096, 0}), right);
        EXPECT_NE(seal_words({word, 4096 ^ flip, 0}), right);
        EXPECT_NE(seal_words({word, 4096, flip}), right);
    }
}

TEST(word_seal, depends_on_word_order) {
    EXPECT_NE(seal_words({1, 2}), seal_words({2, 1}));
    for (const std::size_t repeated : {std::size_t{0}, SIZE_MAX, std::size_t{0x4141414141414141}}) {
        EXPECT_NE(seal_words({repeated, repeated}), repeated) << "a pattern of equal words is not a seal";
        EXPECT_NE(seal_words({repeated, repeated, repeated}), repeated);
    }
}

} // namespace
