#include "equipment/slots_on_ledger.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/impl/slab/address_heap.hpp>
#include <mallard/impl/slab/bitmap_slots.hpp>
#include <mallard/impl/slab/fullness_buckets.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using mallard::slab::slab_header;

using by_address = mallard::slab::bitmap_slots<mallard::slab::address_heap<slab_header>>;
using by_fullness = mallard::slab::bitmap_slots<mallard::slab::fullness_buckets<slab_header>>;

struct shape {
    std::size_t slot_bytes;
    std::size_t slab_bytes;

    friend std::ostream& operator<<(std::ostream& out, const shape& s) {
        return out << s.slot_bytes << " bytes in blocks of " << s.slab_bytes;
    }
};

class bitmap_slots : public ::testing::TestWithParam<shape>,
                     protected equipment::slots_on_ledger<by_address> {
protected:
    bitmap_slots()
        : slots_on_ledger(mallard::slab::undivided_slabs(GetParam().slot_bytes, GetParam().slab_bytes)) {}

    /// Enough for some blocks.
    [[nodiscard]] static std::size_t many() { return 4 * GetParam().slab_bytes / GetParam().slot_bytes; }

    /// Returns: all slots of some blocks, so that none is left which was never given out.
    std::vector<void*> pop_all() {
        std::vector<void*> all = pop(many());
        while (void* p = slots.pop()) {
            mallard::core::unpoison(p, GetParam().slot_bytes);
            all.push_back(p);
        }
        return all;
    }

    void expect_apart(std::vector<void*> all) {
        const std::size_t bytes = GetParam().slot_bytes;
        for (std::size_t i = 0; i != all.size(); ++i) {
            std::memset(all[i], static_cast<int>(i % 251), bytes);
        }
        for (std::size_t i = 0; i != all.size(); ++i) {
            const auto* p = static_cast<const unsigned char*>(all[i]);
            ASSERT_TRUE(std::all_of(p, p + bytes, [i](unsigned char c) { return c == i % 251; })) << i;
        }
        std::sort(all.begin(), all.end());
        for (std::size_t i = 1; i < all.size(); ++i) {
            ASSERT_GE(static_cast<std::byte*>(all[i]), static_cast<std::byte*>(all[i - 1]) + bytes);
        }
    }
};

/// Slots that can be in a chain.
class bitmap_slots_with_room_for_a_link : public bitmap_slots {};

TEST_P(bitmap_slots, are_allocated_in_address_order) {
    std::vector<void*> all = pop_all();
    std::mt19937 order(1);
    for (int round = 0; round < 5; ++round) {
        std::vector<void*> freed = all;
        std::shuffle(freed.begin(), freed.end(), order);
        freed.resize(all.size() / 3);
        push(freed);
        std::sort(freed.begin(), freed.end());
        ASSERT_EQ(pop(freed.size()), freed) << "round " << round;
    }
}

TEST_P(bitmap_slots, go_back_to_a_lower_slot_at_once) {
    const std::vector<void*> all = pop_all();
    std::mt19937 order(1);
    for (int i = 0; i < 1000; ++i) {
        void* const p = all[order() % all.size()];
        push(p);
        ASSERT_EQ(pop(), p) << "all below it are in use";
    }
}

TEST_P(bitmap_slots_with_room_for_a_link, come_back_in_runs) {
    const std::vector<void*> all = pop_all();
    std::mt19937 order(1);
    for (int round = 0; round != (MALLARD_THOROUGH ? 50 : 10); ++round) {
        mallard::block_chain chain;
        std::vector<void*> freed;
        // Of every block some slots stay in use.
        for (std::size_t first = order() % 64; first + 20 < all.size(); first += 21 + order() % 8) {
            for (std::size_t i = first, end = first + 1 + order() % 20; i != end; ++i) {
                freed.push_back(all[i]);
                chain.push_back(all[i]);
            }
        }
        slots.push_many(std::move(chain), source);
        std::sort(freed.begin(), freed.end());
        ASSERT_EQ(pop(freed.size()), freed) << "round " << round;
    }
}

/// A page of bits takes no memory before the first write. Its first contents have no meaning.
TEST(bits_of_slots, stay_untouched_until_first_free) {
    const mallard::slab::slab_geometry g = mallard::slab::undivided_slabs(16, std::size_t{128} << 10);
    equipment::slots_on_ledger<by_address> pool(g);
    const std::vector<void*> all = pool.pop(3000);
    const auto base = reinterpret_cast<std::uintptr_t>(all[0]) & ~(std::uintptr_t{g.alignment} - 1);
    const auto* const bits =
        reinterpret_cast<const unsigned char*>(g.bits_at(base + g.metadata_offset(base)));
    const std::size_t bytes = g.words() * sizeof(std::uint64_t);
    EXPECT_TRUE(std::all_of(bits, bits + bytes, [=](unsigned char c) { return c == bits[0]; }));
    EXPECT_NE(bits[0], 0) << "the ledger fills what it gives";
    pool.push(all[100]);
    EXPECT_GE(std::count(bits, bits + bytes, 0), static_cast<std::ptrdiff_t>(bytes) - 9)
        << "but one bit, and the word of those that were next";
    EXPECT_EQ(pool.pop(), all[100]);
}

/// Where a block has fewer than 64 slots, a neighbour may be the first slot of the next block.
TEST(bitmap_slots_of_small_blocks, runs_cross_slab_borders) {
    for (const shape of : {shape{64, 1024}, shape{64, 2048}, shape{32, 1024}, shape{128, 4096}}) {
        equipment::slots_on_ledger<by_address> pool(
            mallard::slab::undivided_slabs(of.slot_bytes, of.slab_bytes));
        std::vector<void*> all = pool.pop(40 * of.slab_bytes / of.slot_bytes);
        std::sort(all.begin(), all.end());
        mallard::block_chain chain;
        for (void* p : all) {
            chain.push_back(p);
        }
        pool.slots.push_many(std::move(chain), pool.source);
        EXPECT_LE(pool.source.outstanding_bytes(), of.slab_bytes) << of << ": all chunks are empty";
        pool.slots.trim(pool.source);
        EXPECT_EQ(pool.source.outstanding(), 0U) << of;
    }
}

/// A random program that has three quarters of the slots in use at least, so that no block becomes empty.
TEST_P(bitmap_slots, allocation_takes_lowest_free_slot) {
    std::vector<void*> used = pop_all();
    std::set<void*> free;
    std::mt19937 random(7);
    for (std::size_t step = 0; step != 5 * many(); ++step) {
        if (random() % 2 == 0 && free.size() < many() / 4) {
            std::swap(used[random() % used.size()], used.back());
            push(used.back());
            free.insert(used.back());
            used.pop_back();
        } else if (!free.empty()) {
            used.push_back(pop());
            ASSERT_EQ(used.back(), *free.begin()) << "step " << step;
            free.erase(free.begin());
        }
    }
}

template <class Slots>
class slots_in_use : public ::testing::Test, protected equipment::slots_on_ledger<Slots> {
protected:
    static constexpr std::size_t slab_bytes = 1024;

    slots_in_use() : equipment::slots_on_ledger<Slots>(mallard::slab::undivided_slabs(48, slab_bytes)) {}
};

using orders = ::testing::Types<by_address, by_fullness>;
TYPED_TEST_SUITE(slots_in_use, orders);

TYPED_TEST(slots_in_use, are_few_below_two_in_a_slab) {
    std::mt19937 order(1);
    for (int round = 0; round != 5; ++round) {
        std::vector<void*> all = this->pop(200);
        std::shuffle(all.begin(), all.end(), order);
        std::map<std::uintptr_t, std::size_t> in_use;
        const auto slab_of = [](void* p) {
            return reinterpret_cast<std::uintptr_t>(p) / TestFixture::slab_bytes;
        };
        for (void* p : all) {
            ++in_use[slab_of(p)];
        }
        for (void* p : all) {
            const std::size_t used = --in_use[slab_of(p)];
            ASSERT_EQ(this->slots.push(p, this->source), used < 2) << used << " are in use";
        }
    }
}

const auto small_shapes = ::testing::Values(shape{1, 4096}, shape{2, 4096}, shape{4, 4096});
const auto larger_shapes =
    ::testing::Values(shape{12, 4096}, shape{16, 4096}, shape{24, 8192}, shape{64, 4096},
                      shape{20, std::size_t{128} << 10}, shape{16, std::size_t{64} << 10});

INSTANTIATE_TEST_SUITE_P(of_a_few_bytes, bitmap_slots, small_shapes);
INSTANTIATE_TEST_SUITE_P(of, bitmap_slots, larger_shapes);
INSTANTIATE_TEST_SUITE_P(of, bitmap_slots_with_room_for_a_link, larger_shapes);

constexpr std::size_t slab_bytes = 4096;

class slots_of_fuller_blocks : public ::testing::Test, protected equipment::slots_on_ledger<by_fullness> {
protected:
    slots_of_fuller_blocks() : slots_on_ledger(mallard::slab::undivided_slabs(64, slab_bytes)) {
        while (slots.chunks() < 4) {
            void* const p = pop();
            if (slots.chunks() == 4) {
                push(p);
                break;
            }
            blocks_[reinterpret_cast<std::uintptr_t>(p) / slab_bytes].push_back(p);
        }
    }

    /// Effects: frees `count` slots of slab number `slab`.
    void free(std::size_t slab, std::size_t count) {
        std::vector<void*>& of = std::next(blocks_.begin(), static_cast<std::ptrdiff_t>(slab))->second;
        for (; count != 0; --count) {
            push(of.back());
            of.pop_back();
        }
    }

    [[nodiscard]] std::size_t next_block() {
        const auto entry = blocks_.find(reinterpret_cast<std::uintptr_t>(pop()) / slab_bytes);
        return static_cast<std::size_t>(std::distance(blocks_.begin(), entry));
    }

    std::map<std::uintptr_t, std::vector<void*>> blocks_; ///< the full ones, by address
};

TEST_F(slots_of_fuller_blocks, come_first) {
    ASSERT_EQ(blocks_.size(), 7U);
    slots.trim(source);
    free(1, 40);
    free(5, 10);
    free(3, 20);
    for (const auto& [slab, count] : {std::pair{5, 10}, std::pair{3, 20}, std::pair{1, 40}}) {
        for (int i = 0; i != count; ++i) {
            ASSERT_EQ(next_block(), static_cast<std::size_t>(slab));
        }
    }
}

} // namespace
