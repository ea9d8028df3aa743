#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/local/monotonic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace {

using arena_type = mallard::monotonic<equipment::ledger>;

static_assert(sizeof(mallard::monotonic<>) <= 80U);

/// An arena that takes chunks of 64 bytes to 1 KiB, and reports the complaints of its ledger at the end.
class monotonic : public equipment::on_ledger {
protected:
    arena_type arena_{source_, {.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 1024}}};
};

std::byte* as_bytes(void* p) {
    return static_cast<std::byte*>(p);
}

// ---- allocation and growth

TEST_F(monotonic, grows_geometrically_up_to_the_cap) {
    for (int i = 0; i < 100; ++i) {
        static_cast<void>(arena_.allocate(40, 8));
    }
    const auto& taken = source_.granted();
    ASSERT_GT(taken.size(), 6U);
    for (std::size_t i = 0; i < taken.size(); ++i) {
        EXPECT_EQ(taken[i].bytes, std::min<std::size_t>(64U << i, 1024U));
    }
}

TEST_F(monotonic, never_uses_a_deallocated_block_again) {
    void* const p = arena_.allocate(24, 8);
    arena_.deallocate(p, 24, 8);
    EXPECT_NE(arena_.allocate(24, 8), p);
}

#ifdef __cpp_exceptions

/// An upstream with its own exception type.
struct refusing_upstream {
    struct refusal : std::bad_alloc {};
    static void* allocate(std::size_t bytes, std::size_t alignment) {
        EXPECT_GT(bytes, SIZE_MAX / 4) << alignment;
        throw refusal();
    }
    static void deallocate(void*, std::size_t, std::size_t) noexcept {}
};

TEST(monotonic_upstream, exception_of_upstream_passes_through) {
    mallard::monotonic<refusing_upstream> arena;
    for (unsigned log2 = 0; log2 != 64; ++log2) {
        for (std::size_t less = 0; less != 64; ++less) {
            for (const std::size_t most : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 32}) {
                EXPECT_THROW(static_cast<void>(arena.allocate(most - less, std::size_t{1} << log2)),
                             refusing_upstream::refusal)
                    << most << " - " << less << " at 2^" << log2;
            }
        }
    }
    EXPECT_EQ(arena.stats().chunks, 0U);
}

#endif

// ---- the initial buffer

TEST(monotonic_buffer, is_used_first) {
    equipment::ledger source;
    alignas(16) std::array<std::byte, 256> buffer;
    arena_type arena(buffer, source);
    EXPECT_EQ(arena.allocate(100, 8), buffer.data());
    EXPECT_EQ(arena.allocate(152, 8), buffer.data() + 104);
    EXPECT_EQ(source.granted().size(), 0U);
    EXPECT_EQ(arena.stats().spills, 0U);

    static_cast<void>(arena.allocate(1, 1));
    EXPECT_EQ(source.granted().size(), 1U);
    EXPECT_EQ(arena.stats().spills, 1U) << "running over the buffer is counted";
}

/// With any beginning and end of the buffer: blocks lie inside of it or in a chunk, aligned, and never across its end.
TEST(monotonic_buffer, may_be_of_any_size_at_any_address) {
    alignas(64) std::array<std::byte, 128> memory;
    for (std::size_t offset = 0; offset < 32; ++offset) {
        for (std::size_t bytes = 0; bytes <= 80; ++bytes) {
            equipment::ledger source;
            const std::span buffer(memory.data() + offset, bytes);
            memory.fill(std::byte{0x11});
            {
                arena_type arena(buffer, source,
                                 {.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 64}});
                for (const std::size_t alignment : {1U, 16U, 2U, 64U, 4U, 8U}) {
                    std::byte* const p = as_bytes(arena.allocate(5, alignment));
                    ASSERT_TRUE(mallard::core::is_aligned(p, alignment));
                    std::fill_n(p, 5, std::byte{0x22});
                }
            }
            ASSERT_EQ(source.outstanding(), 0U);
            for (std::size_t i = 0; i < memory.size(); ++i) {
                ASSERT_TRUE((i >= offset && i < offset + bytes) || memory[i] == std::byte{0x11})
                    << "wrote to byte " << i << " with a buffer of " << bytes << " at " << offset;
            }
        }
    }
}

TEST(monotonic_buffer, loses_less_than_twice_the_fundamental_alignment) {
    alignas(16) std::array<std::byte, 512> memory;
    for (std::size_t skew = 0; skew < 16; ++skew) {
        equipment::ledger source;
        arena_type arena(std::span(memory.data() + skew, 400), source);
        static_cast<void>(arena.allocate(400 - 2 * 16 + 2, 1));
        EXPECT_TRUE(source.granted().empty()) << skew;
    }
}

TEST(monotonic_buffer, is_the_callers_again_at_the_end) {
    std::array<char, 64> buffer{};
    {
        mallard::monotonic arena{std::as_writable_bytes(std::span(buffer))};
        static_cast<void>(arena.allocate(10));
    }
    buffer.fill('x');
    EXPECT_EQ(buffer[63], 'x');
}

// ---- rewind

TEST_F(monotonic, rewind_keeps_chunks) {
    const auto use = [this] {
        for (int i = 0; i < 20; ++i) {
            std::fill_n(as_bytes(arena_.allocate(100, 8)), 100, std::byte{1});
        }
    };
    use();
    arena_.rewind();
    const std::size_t calls = source_.granted().size();
    const std::size_t held = source_.outstanding();
    EXPECT_GT(held, 0U);
    for (int i = 0; i < 10; ++i) {
        use();
        arena_.rewind();
    }
    EXPECT_LE(source_.granted().size(), calls + 1) << "the same use needs no more chunks";
    EXPECT_LE(source_.outstanding(), held + 1);
}

/// A use that was large once must not be paid for ever.
void expect_memory_falls(std::size_t requests, std::size_t bytes) {
    equipment::ledger source;
    arena_type arena(source);
    for (std::size_t i = 0; i < requests; ++i) {
        static_cast<void>(arena.allocate(bytes, 8));
    }
    arena.rewind();
    EXPECT_GE(source.outstanding_bytes(), requests * bytes);
    for (int i = 0; i < 200; ++i) {
        static_cast<void>(arena.allocate(100, 8));
        arena.rewind();
    }
    EXPECT_LE(source.outstanding_bytes(), 4096U);
    const std::size_t calls = source.granted().size();
    for (int i = 0; i < 20; ++i) {
        static_cast<void>(arena.allocate(100, 8));
        arena.rewind();
    }
    EXPECT_EQ(source.granted().size(), calls) << "and a steady use comes to need nothing from the upstream";
}

TEST(monotonic_rewind, many_chunks_are_freed_following_a_peak) {
    expect_memory_falls(2000, 1000);
}

TEST(monotonic_rewind, large_chunk_is_freed_following_a_peak) {
    expect_memory_falls(1, 64 << 20);
}

TEST(monotonic_rewind, keeps_memory_of_recent_uses) {
    equipment::ledger source;
    arena_type arena(source);
    const auto use = [&](int requests) {
        for (int i = 0; i < requests; ++i) {
            static_cast<void>(arena.allocate(1000, 8));
        }
        arena.rewind();
    };
    use(200);
    use(200);
    const std::size_t calls = source.granted().size();
    for (int i = 0; i < 3; ++i) {
        use(1);
        EXPECT_GE(source.outstanding_bytes(), 100U * 1000U) << "the mark falls slowly";
    }
    use(120);
    EXPECT_EQ(source.granted().size(), calls) << "so that a large use soon after finds its chunks";
}

TEST(monotonic_rewind, keeps_nothing_that_was_never_used) {
    equipment::ledger source;
    arena_type arena(source);
    arena.rewind();
    EXPECT_EQ(source.outstanding(), 0U);
    static_cast<void>(arena.allocate(10));
    for (int i = 0; i < 200; ++i) {
        arena.rewind();
    }
    EXPECT_EQ(source.outstanding(), 0U) << "what no use needs any more goes back";
}

// ---- marks

TEST_F(monotonic, rolls_back_over_chunks_and_uses_them_again) {
    void* const kept = arena_.allocate(30, 1);
    std::fill_n(as_bytes(kept), 30, std::byte{7});
    const auto mark = arena_.mark();
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 30; ++i) {
            std::fill_n(as_bytes(arena_.allocate(100, 8)), 100, std::byte{1});
        }
        arena_.rollback(mark);
    }
    const std::size_t calls = source_.granted().size();
    for (int i = 0; i < 30; ++i) {
        static_cast<void>(arena_.allocate(100, 8));
    }
    EXPECT_EQ(source_.granted().size(), calls) << "a rollback keeps the chunks";
    EXPECT_TRUE(
        std::all_of(as_bytes(kept), as_bytes(kept) + 30, [](std::byte b) { return b == std::byte{7}; }));
}

TEST(monotonic_buffer, is_rolled_back_into) {
    equipment::ledger source;
    alignas(16) std::array<std::byte, 64> buffer;
    arena_type arena(buffer, source);
    static_cast<void>(arena.allocate(16, 8));
    const auto mark = arena.mark();
    static_cast<void>(arena.allocate(100, 8));
    arena.rollback(mark);
    EXPECT_EQ(arena.allocate(48, 8), buffer.data() + 16);
}

// ---- resizing the last block

TEST_F(monotonic, resizes_last_block_in_place) {
    void* const p = arena_.allocate(8, 8);
    EXPECT_TRUE(arena_.resize_last(p, 8, 24));
    EXPECT_EQ(as_bytes(arena_.allocate(8, 8)), as_bytes(p) + 24);

    void* const q = arena_.allocate(1, 8);
    void* const last = arena_.allocate(8, 8);
    EXPECT_FALSE(arena_.resize_last(q, 1, 2)) << "it is not the last one";
    EXPECT_TRUE(arena_.resize_last(last, 8, 0));
    EXPECT_EQ(arena_.allocate(4, 8), last) << "what was given back is used again";
}

TEST_F(monotonic, refuses_to_grow_past_the_chunk) {
    void* const p = arena_.allocate(8, 8);
    EXPECT_FALSE(arena_.resize_last(p, 8, 49));
    EXPECT_FALSE(arena_.resize_last(p, 8, SIZE_MAX));
    EXPECT_FALSE(arena_.resize_last(p, 8, SIZE_MAX - 7));
    EXPECT_TRUE(arena_.resize_last(p, 8, 48)) << "64 bytes less the header";
    std::fill_n(as_bytes(p), 48, std::byte{1});
}

TEST_F(monotonic, resizes_a_block_of_no_bytes) {
    void* const p = arena_.allocate(0, 8);
    EXPECT_TRUE(arena_.resize_last(p, 0, 16));
    EXPECT_TRUE(arena_.resize_last(p, 16, 0));
    EXPECT_EQ(arena_.allocate(0, 8), p);
}

// ---- figures

TEST_F(monotonic, counts_bytes_in_use_and_left) {
    EXPECT_EQ(arena_.bytes_in_use(), 0U);
    EXPECT_EQ(arena_.bytes_left(), 0U);
    static_cast<void>(arena_.allocate(8, 8));
    EXPECT_EQ(arena_.bytes_left(), 40U) << "64 bytes less the header and the block";
    EXPECT_EQ(arena_.bytes_in_use(), 24U);
    static_cast<void>(arena_.allocate(40, 8));
    EXPECT_EQ(arena_.bytes_left(), 0U);
    EXPECT_EQ(arena_.bytes_in_use(), 64U);
    arena_.rewind();
    EXPECT_EQ(arena_.bytes_in_use(), 0U);
}

// ---- construction

TEST(monotonic_construction, first_chunk_holds_the_initial_size) {
    for (const std::size_t bytes : {1U, 100U, 4096U, 100'000U, 1U << 20}) {
        for (const std::size_t block_bytes : {bytes, bytes / 2 / 8 * 8}) {
            equipment::ledger source;
            arena_type arena(bytes, source);
            for (int round = 0; round != 3; ++round) {
                for (std::size_t taken = 0; block_bytes != 0 && taken + block_bytes <= bytes;
                     taken += block_bytes) {
                    static_cast<void>(arena.allocate(block_bytes, 8));
                }
                round == 0 ? arena.rewind() : arena.release();
            }
            const std::size_t room = mallard::core::align_up(bytes, std::size_t{16});
            for (const equipment::ledger::request& request : source.granted()) {
                EXPECT_EQ(request.bytes, room + 16) << "the header is not part of the size";
            }
            EXPECT_LE(source.granted().size(), 2U) << "one before the release and one after it";
        }
    }
}

TEST(monotonic_construction, zero_initial_bytes_leave_the_options) {
    equipment::ledger source;
    arena_type arena(0, source, {.growth = {.first_chunk_bytes = 256}});
    static_cast<void>(arena.allocate(1, 1));
    EXPECT_EQ(source.granted()[0].bytes, 256U);
}

TEST(monotonic_construction, impossible_initial_sizes_fail_at_first_request) {
    for (const std::size_t bytes : {std::size_t{PTRDIFF_MAX}, std::size_t{PTRDIFF_MAX} - 15}) {
        equipment::ledger source;
        arena_type arena(bytes, source);
        EXPECT_OUT_OF_MEMORY(static_cast<void>(arena.allocate(8, 8)));
    }
}

TEST(monotonic_construction, serves_from_memory_of_any_type) {
    equipment::ledger source;
    alignas(16) char characters[256];
    arena_type arena(characters, sizeof characters, source);
    void* const p = arena.allocate(256, 16);
    EXPECT_EQ(p, characters);
    EXPECT_TRUE(arena.owns(p));
    EXPECT_EQ(arena.bytes_in_use(), 256U);
    EXPECT_EQ(source.granted().size(), 0U);
    static_cast<void>(arena.allocate(1, 1));
    EXPECT_EQ(source.granted().size(), 1U);
    EXPECT_TRUE(arena.owns(p)) << "the buffer is in use after it is full";
}

// ---- tidying

TEST(monotonic_tidy, discards_the_free_end_of_a_chunk) {
    using ends = std::vector<equipment::discarding_ledger::part>;
    equipment::discarding_ledger source;
    mallard::monotonic<equipment::discarding_ledger> arena(source);
    static_cast<void>(arena.allocate(100, 8));
    arena.tidy();
    const std::size_t left = arena.bytes_left();
    ASSERT_GT(left, 0U);
    EXPECT_EQ(source.discarded(), (ends{{arena.allocate(1, 1), left}})) << "the next block is cut from it";
}

TEST(monotonic_tidy, leaves_the_initial_buffer_alone) {
    equipment::discarding_ledger source;
    alignas(16) std::array<std::byte, 4096> buffer;
    mallard::monotonic<equipment::discarding_ledger> arena(std::span<std::byte>(buffer), source);
    static_cast<void>(arena.allocate(100, 8));
    arena.tidy();
    EXPECT_TRUE(source.discarded().empty());
}

TEST(monotonic_tidy, discards_the_end_of_the_chunk_behind_a_full_buffer) {
    using ends = std::vector<equipment::discarding_ledger::part>;
    equipment::discarding_ledger source;
    alignas(16) std::array<std::byte, 64> buffer;
    mallard::monotonic<equipment::discarding_ledger> arena(std::span<std::byte>(buffer), source);
    static_cast<void>(arena.allocate(64, 8));
    arena.tidy();
    EXPECT_TRUE(source.discarded().empty()) << "the buffer is full, and there is no chunk";
    static_cast<void>(arena.allocate(8, 8));
    arena.tidy();
    const std::size_t left = arena.bytes_left();
    ASSERT_GT(left, 0U);
    EXPECT_EQ(source.discarded(), (ends{{arena.allocate(1, 1), left}}));
}

TEST_F(monotonic, tidy_returns_chunks_that_wait) {
    for (int i = 0; i != 100; ++i) {
        static_cast<void>(arena_.allocate(100, 8));
    }
    arena_.rewind();
    EXPECT_GT(source_.outstanding(), 1U);
    arena_.tidy();
    EXPECT_EQ(source_.outstanding(), 0U);
    EXPECT_NE(arena_.allocate(8, 8), nullptr);
}

} // namespace
