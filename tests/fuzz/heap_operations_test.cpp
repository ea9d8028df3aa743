// The harness finds each kind of broken heap. A fault that it misses here would go undetected in all heaps.
#include "model/bound_subject.hpp"
#include "model/turn.hpp"

#include <mallard/core/sanitizer.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>

namespace fuzz { namespace {

using right = mallard::heap<equipment::ledger>;

/// Ignores deallocations.
struct forgetting : right {
    using right::right;
    void deallocate(void*, std::size_t = 0, std::size_t = 1) noexcept {}
};

/// Reports more bytes for a block than it has.
struct boasting : right {
    using right::right;
    mallard::sized_block allocate_at_least(std::size_t bytes, std::size_t alignment = 16) {
        const auto block = right::allocate_at_least(bytes, alignment);
        mallard::core::unpoison(static_cast<std::byte*>(block.p) + block.bytes, 8);
        return {block.p, block.bytes + 8};
    }
};

/// Ignores alignments above 16.
struct misaligning : right {
    using right::right;
    void* allocate(std::size_t bytes, std::size_t = 16) { return right::allocate(bytes); }
};

/// Corrupts the contents of a block that grows backward.
struct moving : right {
    using right::right;
    mallard::expansion_result expand(void* p, const mallard::expansion_request& r) {
        const auto result = right::expand(p, r);
        if (result.method == mallard::expansion::backward) {
            static_cast<std::byte*>(p)[0] ^= std::byte{1};
        }
        return result;
    }
};

/// Overwrites the word behind a block that is deallocated.
struct scribbling : right {
    using right::right;
    void deallocate(void* p, std::size_t = 0, std::size_t = 1) noexcept {
        std::byte* const end = static_cast<std::byte*>(p) + right::usable_bytes(p);
        mallard::space::write_word(end, mallard::space::read_word(end) ^ 64U);
        right::deallocate(p);
    }
};

/// Shrinks blocks to less than it returns.
struct stingy : right {
    using right::right;
    std::size_t shrink(void* p, std::size_t bytes) noexcept { return right::shrink(p, bytes / 2); }
};

/// Occasionally refuses a request that it could serve.
struct refusing : right {
    using right::right;
    void* try_allocate(std::size_t bytes, std::size_t alignment = 16) noexcept {
        return bytes % 64 == 40 ? nullptr : right::try_allocate(bytes, alignment);
    }
};

/// Loses a block of each burst.
struct losing : right {
    using right::right;
    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        mallard::block_chain blocks = right::allocate_many(bytes, alignment, count);
        static_cast<void>(blocks.pop_front());
        return blocks;
    }
    using right::allocate_many;
};

constexpr std::uint64_t seeds = MALLARD_THOROUGH ? 49 : 12;

/// Small chunks, which are often returned.
template <class Heap>
struct recipe {
    explicit recipe(equipment::ledger& source)
        : top(source, {.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 16384, .factor = 2}}) {}
    void release_below() noexcept {}
    Heap top;
};

/// Returns: the first report that contains the words; empty if there is none.
template <class Heap>
std::string find_fault(const std::string& words = "") {
    model::kind k{};
    k.most = {.bytes = std::size_t{1} << 20, .alignment = 8192, .live_blocks = 200};
    k.make = model::make_adapted<recipe<Heap>, model::none>;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        std::string report = model::play_bytes(k, model::random_bytes(seed, 4000)).fault;
        if (!report.empty() && report.find(words) != std::string::npos) {
            return report;
        }
    }
    return "";
}

void expect_contains(const std::string& report, const std::string& words) {
    EXPECT_NE(report.find(words), std::string::npos) << report;
}

TEST(heap_operations, accept_a_correct_heap) {
    EXPECT_EQ(find_fault<right>(), "");
}

TEST(heap_operations, find_leaked_blocks) {
    expect_contains(find_fault<forgetting>(), "a block in use that nobody has at operation ");
}

TEST(heap_operations, find_wrong_sizes) {
    // Most often the walk finds it, else the heap's own check.
    const std::string words = "a block that is shorter than its user thinks";
    expect_contains(find_fault<boasting>(words), words);
}

TEST(heap_operations, find_misaligned_blocks) {
    expect_contains(find_fault<misaligning>(), "a misaligned block");
}

TEST(heap_operations, find_bytes_changed_by_growth) {
    expect_contains(find_fault<moving>(), "bytes that changed when a block got another size");
}

TEST(heap_operations, find_words_that_were_overwritten) {
    expect_contains(find_fault<scribbling>(), "damaged");
}

TEST(heap_operations, find_blocks_that_shrink_too_much) {
    expect_contains(find_fault<stingy>(), "a block that shrank too much");
}

TEST(heap_operations, find_needless_refusals) {
    expect_contains(find_fault<refusing>(), "a request that was refused");
}

TEST(heap_operations, find_incomplete_bursts) {
    expect_contains(find_fault<losing>(), "a burst of another number of blocks");
}

TEST(heap_operations, report_the_last_operations) {
    const std::string report = find_fault<forgetting>();
    expect_contains(report, "; the last were\n");
    expect_contains(report, "deallocate");
}

}} // namespace fuzz
