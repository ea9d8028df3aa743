#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

namespace {

struct block {
    std::byte* p;
    std::size_t bytes;
};

class shrinking_multipool : public equipment::on_ledger {
protected:
    block allocate(std::size_t bytes) {
        auto* const p = static_cast<std::byte*>(pool_.allocate(bytes, 8));
        std::memset(p, static_cast<int>(bytes % 251), bytes);
        peak_bytes_ = std::max(peak_bytes_, source_.outstanding_bytes());
        return {p, bytes};
    }

    void deallocate(const block& b) {
        const auto is_intact = [&](std::byte value) {
            return value == static_cast<std::byte>(b.bytes % 251);
        };
        EXPECT_TRUE(std::all_of(b.p, b.p + b.bytes, is_intact));
        pool_.deallocate(b.p, b.bytes, 8);
    }

    static constexpr std::size_t live_bytes = std::size_t{1} << 20;

    mallard::unchecked::multipool<equipment::ledger, mallard::hybrid_order, mallard::shrinking_classes> pool_{
        source_};
    std::size_t peak_bytes_ = 0;
};

TEST_F(shrinking_multipool, holds_little_more_than_a_wave) {
    std::vector<block> blocks;
    for (std::size_t bytes = 3000; bytes > 16; bytes = bytes * 7 / 8) {
        for (std::size_t live = 0; live < live_bytes; live += bytes) {
            blocks.push_back(allocate(bytes));
        }
        std::for_each(blocks.begin(), blocks.end(), [this](const block& b) { deallocate(b); });
        blocks.clear();
    }
    EXPECT_LE(peak_bytes_, live_bytes * 5 / 2);
}

TEST_F(shrinking_multipool, holds_little_more_while_sizes_grow) {
    std::vector<block> blocks;
    std::mt19937 random(1);
    std::size_t live = 0;
    for (std::size_t step = 0; step != 60'000; ++step) {
        const std::size_t about = 16 + step / 40;
        const std::size_t bytes = about / 2 + random() % about;
        while (live + bytes > live_bytes) {
            block& victim = blocks[random() % blocks.size()];
            live -= victim.bytes;
            deallocate(victim);
            victim = blocks.back();
            blocks.pop_back();
        }
        blocks.push_back(allocate(bytes));
        live += bytes;
    }
    EXPECT_LE(peak_bytes_, live_bytes * 4);
    std::for_each(blocks.begin(), blocks.end(), [this](const block& b) { deallocate(b); });
}

TEST_F(shrinking_multipool, keeps_chunks_with_a_used_block) {
    std::vector<block> blocks;
    for (std::size_t live = 0; live < live_bytes; live += 64) {
        blocks.push_back(allocate(64));
    }
    std::vector<block> used;
    for (std::size_t i = 0; i != blocks.size(); ++i) {
        if (i % 100 == 0) {
            used.push_back(blocks[i]);
        } else {
            deallocate(blocks[i]);
        }
    }
    const std::size_t held_bytes = source_.outstanding_bytes();
    for (std::size_t live = 0; live < live_bytes / 2; live += 3000) {
        used.push_back(allocate(3000));
    }
    EXPECT_LE(source_.outstanding_bytes(), held_bytes + live_bytes / 8) << "free blocks become rooms";
    std::for_each(used.begin(), used.end(), [this](const block& b) { deallocate(b); });
}

TEST_F(shrinking_multipool, serves_every_alignment_after_a_search) {
    std::vector<block> blocks;
    for (std::size_t bytes = 8; bytes != 1000; bytes += 8) {
        for (int i = 0; i != 50; ++i) {
            blocks.push_back(allocate(bytes));
        }
    }
    for (std::size_t i = 0; i != blocks.size(); i += 2) {
        deallocate(blocks[i]);
    }
    for (std::size_t i = 0; i != 3000; ++i) {
        const std::size_t bytes = 16 * (1 + i % 100);
        void* const p = pool_.allocate(bytes, 16);
        EXPECT_TRUE(mallard::core::is_aligned(p, 16));
    }
    for (std::size_t i = 1; i < blocks.size(); i += 2) {
        deallocate(blocks[i]);
    }
}

} // namespace
