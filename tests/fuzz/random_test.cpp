// Millions of random operations on every heap, each compared with a shadow heap. MALLARD_TEST_SEED overrides the seed.
#include "fuzz/heap_grounds.hpp"
#include "fuzz/heap_operations.hpp"
#include "fuzz/random_bytes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace fuzz {

namespace {

#ifdef NDEBUG
constexpr std::size_t operations_of_a_heap = 300'000;
constexpr std::size_t operations_per_look = 16;
#else
constexpr std::size_t operations_of_a_heap = 10'000;
constexpr std::size_t operations_per_look = 1;
#endif

std::uint64_t first_seed() {
    const char* const seed = std::getenv("MALLARD_TEST_SEED");
    return seed == nullptr ? 20021104 : std::strtoull(seed, nullptr, 10);
}

template <class Ground>
class random_operations : public ::testing::Test {
protected:
    /// Returns: the number of operations.
    static std::size_t run(std::uint64_t seed, std::size_t bytes, std::size_t blocks) {
        const std::vector<std::uint8_t> decisions = random_bytes(seed, bytes);
        Ground ground;
        heap_operations<Ground> operations(ground, decisions,
                                           {.blocks = blocks, .operations_per_look = operations_per_look});
        const std::string wrong = operations.run();
        EXPECT_EQ(wrong, "") << "seed " << seed << ", " << bytes << " bytes, " << blocks << " blocks";
        if (wrong.empty()) {
            EXPECT_EQ(ground.end(), "") << "seed " << seed;
        }
        return operations.operations();
    }
};

using grounds = ::testing::Types<ledger_heap, checked_heap, cached_heap, paged_heap, region>;
TYPED_TEST_SUITE(random_operations, grounds);

/// Runs of many lengths, mostly short ones, which exercise first chunks and empty lists.
TYPED_TEST(random_operations, keep_a_heap_consistent) {
    std::uint64_t seed = first_seed();
    for (std::size_t done = 0; done < operations_of_a_heap && !this->HasFailure(); ++seed) {
        const std::size_t bytes = std::size_t{64} << (seed % 12);
        done += this->run(seed, bytes, seed % 3 == 0 ? 20 : 200);
    }
}

TYPED_TEST(random_operations, keep_a_heap_of_many_blocks_consistent) {
    this->run(first_seed(), operations_of_a_heap / 2, 2000);
}

} // namespace

} // namespace fuzz
