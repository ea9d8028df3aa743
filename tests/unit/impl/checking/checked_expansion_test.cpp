#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/checked.hpp>
#include <mallard/checking/allocation_site.hpp>
#include <mallard/checking/misuse.hpp>
#include <mallard/impl/checking/checked_mechanism.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using equipment::plots;
using mallard::allocator_call;
using mallard::expansion;
using mallard::expansion_request;
using mallard::misuse;
using pool_type = mallard::checked<plots>;

static_assert(mallard::expandable<pool_type> && mallard::local_allocator<pool_type>);
static_assert(mallard::expandable<mallard::checking::checked_mechanism<plots>>);
static_assert(!mallard::expandable<mallard::checking::checked_mechanism<mallard::multipool<>>>);
static_assert(mallard::burst_allocator<mallard::checking::checked_mechanism<mallard::multipool<>>>);

std::vector<mallard::misuse_report>& heard() {
    static std::vector<mallard::misuse_report> all;
    return all;
}

/// Hidden from AddressSanitizer.
[[gnu::noinline, gnu::no_sanitize_address]] void write_to(void* p, std::ptrdiff_t offset) {
    volatile unsigned char& byte = *(static_cast<unsigned char*>(p) + offset);
    byte = byte ^ 1U;
}

class checked_expansion : public ::testing::Test {
protected:
    checked_expansion() {
        heard().clear();
        mallard::set_misuse_handler([](const mallard::misuse_report& r) noexcept { heard().push_back(r); });
    }
    ~checked_expansion() override { mallard::set_misuse_handler(nullptr); }

    static std::vector<misuse> reported_kinds() {
        std::vector<misuse> all;
        for (const mallard::misuse_report& report : heard()) {
            all.push_back(report.kind);
        }
        return all;
    }

    const mallard::allocation_site site_;
    pool_type pool_{8U};
};

TEST_F(checked_expansion, usable_bytes_exclude_guard_zones) {
    const mallard::sized_block block = pool_.allocate_at_least(21, 8);
    EXPECT_EQ(block.bytes, 64U - 16U - 16U);
    EXPECT_EQ(pool_.usable_bytes(block.p), block.bytes);
    std::memset(block.p, 1, block.bytes);
    pool_.check();
    write_to(block.p, static_cast<std::ptrdiff_t>(block.bytes));
    pool_.check();
    EXPECT_EQ(reported_kinds(), std::vector{misuse::write_past_end});
    const mallard::sized_block aligned = pool_.try_allocate_at_least(100, 64);
    EXPECT_TRUE(mallard::core::is_aligned(aligned.p, 64));
    EXPECT_GE(aligned.bytes, 100U);
    std::memset(aligned.p, 1, aligned.bytes);
    pool_.check();
    EXPECT_EQ(heard().size(), 1U);
}

TEST_F(checked_expansion, follows_a_block_that_grows_backward) {
    auto* const p = static_cast<unsigned char*>(pool_.allocate(48, 8));
    std::memset(p, 'x', 48);
    const auto grown = pool_.expand(
        p, {.least_bytes = 100, .preferred_bytes = 100, .step_bytes = 48, .allowed = expansion::backward});
    EXPECT_EQ(grown.method, expansion::backward);
    EXPECT_EQ(grown.p, p - 96);
    EXPECT_EQ(grown.bytes, 48U + 96U);
    EXPECT_EQ(p[0], 'x');
    EXPECT_EQ(p[47], 'x');
    std::memset(grown.p, 'y', grown.bytes);
    pool_.check();
    EXPECT_TRUE(heard().empty());
    pool_.deallocate(p, 48, 8);
    ASSERT_EQ(reported_kinds(), std::vector{misuse::foreign_pointer}) << "that is within the block now";
    EXPECT_EQ(heard()[0].block, grown.p);
    write_to(grown.p, -1);
    pool_.deallocate(grown.p, 144, 8);
    EXPECT_EQ(reported_kinds(), (std::vector{misuse::foreign_pointer, misuse::write_before_start}));
}

TEST_F(checked_expansion, says_where_nothing_happened) {
    void* const p = pool_.allocate(48, 8);
    expansion_request request{.least_bytes = 10000, .preferred_bytes = 10000, .allowed = expansion::in_place};
    EXPECT_EQ(pool_.expand(p, request).p, nullptr);
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 31, std::size_t{PTRDIFF_MAX}}) {
        request = {.least_bytes = bytes, .preferred_bytes = bytes, .allowed = expansion::in_place};
        EXPECT_EQ(pool_.expand(p, request).method, expansion::none);
        request.allowed = expansion::any;
        EXPECT_EQ(pool_.try_expand(p, request).p, nullptr);
        EXPECT_OUT_OF_MEMORY(pool_.expand(p, request));
        EXPECT_EQ(pool_.try_allocate_at_least(bytes).p, nullptr);
        EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate_at_least(bytes)));
    }
    request = {.least_bytes = 100, .preferred_bytes = SIZE_MAX, .allowed = expansion::forward};
    EXPECT_EQ(pool_.expand(p, request).p, p) << "what is preferred need not be possible";
    pool_.deallocate(p, 100, 8);
    EXPECT_TRUE(heard().empty());
}

TEST_F(checked_expansion, knows_the_bytes_before_a_block_shrinks) {
    void* const p = pool_.allocate(1000, 8);
    for (const std::size_t bytes : {1000U, 999U, 500U, 100U, 0U}) {
        const std::size_t usable = pool_.usable_bytes(p);
        const std::size_t expected = pool_.shrunk_bytes(p, bytes);
        EXPECT_EQ(pool_.usable_bytes(p), usable);
        EXPECT_EQ(pool_.shrink(p, bytes), expected);
    }
    EXPECT_TRUE(heard().empty());
    EXPECT_EQ(pool_.shrunk_bytes(p, 2000), 0U);
    EXPECT_EQ(heard().size(), 1U) << "it has fewer bytes";
    pool_.deallocate(p);
    EXPECT_EQ(pool_.shrunk_bytes(p, 8), 0U);
    EXPECT_EQ(heard().back().detected_by, allocator_call::shrink);
}

TEST_F(checked_expansion, passes_padded_sizes_to_mechanism) {
    pool_.set_quarantine(mallard::no_quarantine);
    void* const p = pool_.allocate_at_least(21, 8).p;
    pool_.deallocate(p, 24, 8);
    ASSERT_EQ(pool_.mechanism().freed().size(), 1U);
    EXPECT_EQ(pool_.mechanism().freed()[0].bytes, 64U);
    void* const q = pool_.allocate(100, 8);
    const auto grown =
        pool_.expand(q, {.least_bytes = 200, .preferred_bytes = 300, .allowed = expansion::forward});
    pool_.deallocate(q, grown.bytes, 8);
    EXPECT_EQ(pool_.mechanism().freed()[1].bytes, 336U);
    EXPECT_TRUE(pool_.mechanism().live().empty());
}

TEST_F(checked_expansion, reports_use_of_freed_block) {
    void* const p = pool_.allocate(24, 8);
    pool_.deallocate(p, 24, 8);
    expansion_request request{.least_bytes = 100, .preferred_bytes = 100, .allowed = expansion::in_place};
    EXPECT_EQ(pool_.expand(p, request).p, nullptr);
    EXPECT_EQ(pool_.shrink(p, 8), 0U);
    EXPECT_EQ(pool_.usable_bytes(p), 0U);
    request.allowed = expansion::any;
    EXPECT_EQ(pool_.expand(p, request).method, expansion::fresh);
    EXPECT_EQ(reported_kinds(), (std::vector(4, misuse::use_after_free)));
    EXPECT_EQ(heard()[0].detected_by, allocator_call::expand);
    EXPECT_EQ(heard()[1].detected_by, allocator_call::shrink);
    EXPECT_EQ(heard()[2].detected_by, allocator_call::usable_bytes);
    EXPECT_EQ(heard()[2].block, p);
    heard().clear();
    void* const q = pool_.allocate(24, 8);
    pool_.release();
    EXPECT_EQ(pool_.usable_bytes(q), 0U);
    EXPECT_EQ(reported_kinds(), std::vector{misuse::use_after_release});
}

TEST_F(checked_expansion, drains_quarantine_when_memory_runs_out) {
    pool_.set_quarantine({});
    std::vector<void*> blocks;
    for (int i = 0; i < 8; ++i) {
        blocks.push_back(pool_.allocate(24, 8));
    }
    for (void* p : blocks) {
        pool_.deallocate(p);
    }
    const mallard::expansion_request request{
        .least_bytes = 100, .preferred_bytes = 100, .allowed = expansion::fresh};
    for (int i = 0; i < 4; ++i) {
        EXPECT_NE(pool_.expand(nullptr, request).p, nullptr);
        EXPECT_NE(pool_.allocate_at_least(40).p, nullptr);
    }
    EXPECT_EQ(pool_.try_expand(nullptr, request).p, nullptr);
    EXPECT_EQ(pool_.try_allocate_at_least(40).p, nullptr);
    EXPECT_TRUE(heard().empty());
}

TEST_F(checked_expansion, impossible_request_keeps_quarantine) {
    pool_.set_quarantine({});
    pool_.deallocate(pool_.allocate(24, 8));
    EXPECT_EQ(pool_.try_allocate_at_least(SIZE_MAX).p, nullptr);
    const expansion_request request{
        .least_bytes = SIZE_MAX, .preferred_bytes = SIZE_MAX, .allowed = expansion::fresh};
    EXPECT_EQ(pool_.try_expand(nullptr, request).p, nullptr);
    EXPECT_TRUE(pool_.mechanism().freed().empty());
}

#ifdef __cpp_exceptions
TEST_F(checked_expansion, allocates_all_of_many_sizes_or_none) {
    const std::array<std::size_t, 9> too_many{8, 8, 8, 8, 8, 8, 8, 8, 8};
    EXPECT_THROW(static_cast<void>(pool_.allocate_many(too_many)), std::bad_alloc);
    pool_.expect_all_freed();
    EXPECT_TRUE(heard().empty());
}
#endif

} // namespace
