// Millions of random operations on every heap, each compared with its shadow. MALLARD_TEST_SEED overrides the seed.
#include "fuzz/heaps.hpp"
#include "model/turn.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace fuzz { namespace {

#ifdef NDEBUG
constexpr std::size_t operations_of_a_heap = 100'000;
constexpr model::pace speed{.operations_per_look = 16};
#else
constexpr std::size_t operations_of_a_heap = 10'000;
constexpr model::pace speed = model::thorough;
#endif

std::uint64_t first_seed() {
    const char* const seed = std::getenv("MALLARD_TEST_SEED");
    return seed == nullptr ? 20021104 : std::strtoull(seed, nullptr, 10);
}

class random_operations : public ::testing::TestWithParam<model::kind> {
protected:
    /// Returns: the number of operations.
    static std::size_t run(std::uint64_t seed, std::size_t bytes, std::size_t blocks) {
        model::kind k = GetParam();
        k.most.live_blocks = blocks;
        const model::outcome done = model::play_bytes(k, model::random_bytes(seed, bytes), speed);
        EXPECT_EQ(done.fault, "") << "seed " << seed << ", " << bytes << " bytes, " << blocks << " blocks";
        return done.operations;
    }
};

/// Runs of many lengths, mostly short ones, which exercise first chunks and empty lists.
TEST_P(random_operations, keep_a_heap_consistent) {
    std::uint64_t seed = first_seed();
    for (std::size_t done = 0; done < operations_of_a_heap && !HasFailure(); ++seed) {
        const std::size_t bytes = std::size_t{64} << (seed % 12);
        done += run(seed, bytes, seed % 3 == 0 ? 20 : 200);
    }
}

TEST_P(random_operations, keep_a_heap_of_many_blocks_consistent) {
    run(first_seed(), operations_of_a_heap / 2, 2000);
}

INSTANTIATE_TEST_SUITE_P(of, random_operations, ::testing::ValuesIn(heaps()),
                         [](const auto& instance) { return model::test_name(instance.param); });

}} // namespace fuzz
