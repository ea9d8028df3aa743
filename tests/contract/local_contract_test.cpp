// The contract of a local allocator: release() returns all memory, and no request is redundant.
#include "contract/kind_test.hpp"

#include <mallard/core/alignment.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace contract {

namespace {

struct request {
    std::size_t bytes;
    std::size_t alignment;
};

/// Sizes of every kind: small, pooled, above the largest pooled size, over-aligned.
const std::vector<request>& some_requests() {
    static const std::vector<request> requests = [] {
        std::vector<request> r;
        for (int round = 0; round < 3; ++round) {
            for (const std::size_t bytes : {24UL, 1UL, 8UL, 100UL, 520UL, 24UL, 4000UL, 40000UL, 16UL}) {
                r.push_back({bytes, 8});
                r.push_back({bytes, 1});
            }
            r.push_back({80, 64});
            r.push_back({300, 1024});
        }
        return r;
    }();
    return requests;
}

} // namespace

TEST_P(local_contract, requests_nothing_until_first_use) {
    EXPECT_TRUE(source_.granted().empty());
}

TEST_P(local_contract, returns_everything_on_release) {
    for (const request& r : some_requests()) {
        allocate(r.bytes, r.alignment);
    }
    EXPECT_GT(source_.outstanding(), 0U);
    release();
    EXPECT_EQ(source_.outstanding(), 0U);
    EXPECT_EQ(source_.complaints(), equipment::no_complaints);
    release();
    EXPECT_EQ(source_.complaints(), equipment::no_complaints) << "no chunk may be returned twice";
}

TEST_P(local_contract, returns_everything_on_destruction) {
    for (const request& r : some_requests()) {
        allocate(r.bytes, r.alignment);
    }
    destroy();
    EXPECT_EQ(source_.outstanding(), 0U);
    EXPECT_EQ(source_.complaints(), equipment::no_complaints);
}

/// Of an allocator that has owns(); another one owns nothing here.
TEST_P(local_contract, owns_its_blocks_and_nothing_outside_of_chunks) {
    const bool owns = subject_->able().owns;
    EXPECT_FALSE(subject_->owns(this));
    std::vector<const std::byte*> blocks;
    for (const request& r : some_requests()) {
        blocks.push_back(static_cast<const std::byte*>(allocate(r.bytes, r.alignment)));
        EXPECT_EQ(subject_->owns(blocks.back()), owns) << r.bytes << " at " << r.alignment;
        EXPECT_EQ(subject_->owns(blocks.back() + r.bytes - 1), owns) << r.bytes << " at " << r.alignment;
    }
    const auto chunks = source_.blocks();
    for (const auto& chunk : chunks) {
        EXPECT_FALSE(subject_->owns(chunk.data() - 1)) << "in front of " << chunk.size();
        EXPECT_FALSE(subject_->owns(chunk.data() + chunk.size())) << "behind " << chunk.size();
    }
    EXPECT_FALSE(subject_->owns(nullptr));
    release();
    for (const std::byte* const p : blocks) {
        const bool was_granted =
            std::ranges::any_of(chunks, [p](const auto& chunk) { return mallard::core::lies_in(chunk, p); });
        EXPECT_FALSE(was_granted && subject_->owns(p)) << "after a release";
    }
}

TEST_P(local_contract, is_reset_by_release) {
    // Over-aligned blocks are left out, because their padding depends on the address of the chunk.
    const auto life = [this] {
        const std::size_t before = source_.granted().size();
        for (const request& r : some_requests()) {
            if (r.alignment <= alignof(std::max_align_t)) {
                allocate(r.bytes, r.alignment);
            }
        }
        release();
        return std::vector(source_.granted().begin() + static_cast<std::ptrdiff_t>(before),
                           source_.granted().end());
    };
    const auto first = life();
    ASSERT_FALSE(first.empty());
    const auto second = life();
    ASSERT_FALSE(second.empty());
    EXPECT_EQ(second.front(), first.front());
    if (!GetParam().fills_gaps) {
        EXPECT_EQ(second, first) << "the same requests need the same chunks";
    }
}

TEST_P(local_contract, needs_no_memory_to_deallocate) {
    for (const request& r : some_requests()) {
        allocate(r.bytes, r.alignment);
    }
    source_.fail({.at = 1, .for_ever = true});
    const std::size_t before = source_.granted().size();
    deallocate_all();
    EXPECT_FALSE(source_.failed());
    EXPECT_EQ(source_.granted().size(), before);
}

/// 64 blocks of every size that the pool serves, freed in a new random order in each round. A heap may hold a sixteenth of
/// its memory in unmerged blocks.
TEST_P(local_contract, is_bounded_in_steady_state) {
    std::mt19937 order(1);
    std::vector<void*> blocks;
    std::size_t settled = 0;
    for (int round = 0; round < 60; ++round) {
        for (std::size_t i = 0; i < 64; ++i) {
            blocks.push_back(subject_->allocate(8 + 24 * i, 8));
        }
        if (round == 3) {
            settled = source_.outstanding_bytes();
        }
        if (round > 3 && GetParam().reuses_blocks()) {
            ASSERT_LE(source_.outstanding_bytes(), settled + settled / 16) << "round " << round;
        }
        std::vector<std::size_t> indices(blocks.size());
        std::generate(indices.begin(), indices.end(), [n = std::size_t{0}]() mutable { return n++; });
        std::shuffle(indices.begin(), indices.end(), order);
        for (const std::size_t i : indices) {
            subject_->deallocate(blocks[i], 8 + 24 * i, 8);
        }
        blocks.clear();
    }
    release();
    EXPECT_EQ(source_.outstanding(), 0U);
}

} // namespace contract
