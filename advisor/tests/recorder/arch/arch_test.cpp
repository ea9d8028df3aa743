// What differs between the processors: the operands of an unwind rule, and the code addresses of a trace.

#include "recorder/arch/arch.hpp"
#include "trace/raw_record.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

namespace arch = mallard::recorder::arch;

TEST(rule_operands, survive_encoding) {
    using operands = arch::rule_operands;
    unsigned encoded = 0;
    for (std::int64_t frame = 8; frame < std::int64_t{1} << 21; frame += 8) {
        for (const std::int64_t below : {8, 24, 4000, 100'000}) {
            for (const std::int64_t base : {std::int64_t{0}, below + 8}) {
                if (!operands::fit(frame, base, below)) {
                    continue;
                }
                ++encoded;
                const std::uint32_t bits = operands::encode(frame, base, below);
                ASSERT_EQ(bits & 7U, 0U);
                ASSERT_EQ(operands::frame_offset(bits), static_cast<std::uint64_t>(frame));
                ASSERT_EQ(operands::frame_pointer_below(bits), static_cast<std::uint64_t>(base));
                ASSERT_EQ(operands::return_below(bits), static_cast<std::uint64_t>(below));
            }
        }
    }
    EXPECT_GT(encoded, 10'000U);
    EXPECT_FALSE(operands::fit(0, 0, 8));
    EXPECT_FALSE(operands::fit(std::int64_t{1} << 21, 0, 8));
    EXPECT_FALSE(operands::fit(16, 0, 0));
}

TEST(code_addresses, leave_a_bit_of_a_level) {
    const std::uint64_t highest = (std::uint64_t{1} << arch::address_bits) - 4;
    EXPECT_LT(arch::address_in_trace(highest), mallard::trace::interrupted_level);
    EXPECT_EQ(arch::address_in_trace(0x5555'5555'5554), 0x5555'5555'5554U);
    EXPECT_EQ(arch::code_address(0x5555'5555'5554), 0x5555'5555'5554U);
}

TEST(calls, are_recognized) {
#if defined(__x86_64__)
    const std::uint8_t code[] = {0x90, 0x90, 0x90, 0xe8, 0, 0, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90};
    EXPECT_TRUE(arch::follows_call(code + 8));
    EXPECT_FALSE(arch::follows_call(code + 12));
#elif defined(__aarch64__)
    const std::uint8_t code[] = {0x10, 0x00, 0x00, 0x94, 0x20, 0x01, 0x3f, 0xd6, 0x1f, 0x20, 0x03, 0xd5};
    EXPECT_TRUE(arch::follows_call(code + 4));   // bl
    EXPECT_TRUE(arch::follows_call(code + 8));   // blr x9
    EXPECT_FALSE(arch::follows_call(code + 12)); // nop
#endif
}

} // namespace
