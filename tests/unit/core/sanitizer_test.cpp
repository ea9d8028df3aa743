#include <mallard/core/sanitizer.hpp>

#include <gtest/gtest.h>

namespace {

TEST(sanitizer, is_known_to_the_library) {
#if defined(__SANITIZE_ADDRESS__)
    EXPECT_TRUE(mallard::core::poisons_memory);
#elif defined(__has_feature)
    EXPECT_EQ(mallard::core::poisons_memory, __has_feature(address_sanitizer) != 0);
#else
    EXPECT_FALSE(mallard::core::poisons_memory);
#endif
}

TEST(sanitizer, unpoison_keeps_contents) {
    alignas(8) volatile char memory[64] = "what stands here";
    mallard::core::poison(const_cast<char*>(memory), 64);
#ifdef MALLARD_ASAN
    EXPECT_TRUE(__asan_address_is_poisoned(memory));
    volatile char* volatile elsewhere = memory; // clang++ checks no address that it knows to be in bounds
    EXPECT_DEATH(elsewhere[5] = 'x', "use-after-poison");
#endif
    mallard::core::unpoison(const_cast<char*>(memory), 64);
    EXPECT_STREQ(const_cast<const char*>(memory), "what stands here");
}

} // namespace
