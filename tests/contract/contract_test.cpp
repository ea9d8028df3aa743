// The contract of every source of memory: alignment, disjoint blocks, stable contents.
#include "contract/kind_test.hpp"
#include "model/turn.hpp"

#include <mallard/checking/allocation_site.hpp>

#include <cstdlib>
#include <string>

namespace contract {

namespace {

/// MALLARD_TEST_SEED overrides the seed.
std::uint64_t first_seed() {
    const char* seed = std::getenv("MALLARD_TEST_SEED");
    return seed == nullptr ? 20160212 : std::strtoull(seed, nullptr, 10);
}

/// Capturing stacks would take half the time of checked allocators, and no test of this suite reads them.
[[maybe_unused]] const std::size_t previous_frames = mallard::keep_stack_frames(0);

/// The fuzz tests look into heaps at each operation.
constexpr model::pace speed{.operations_per_look = 16};

/// Effects: performs operations that random bytes decide, some hundred from a thousand.
void perform_random_operations(const kind& k, std::size_t runs, std::size_t bytes, bool releases) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + runs; ++seed) {
        const auto play = [&](std::span<const std::uint8_t> decisions) {
            return model::play_bytes(k, decisions, speed, releases).fault;
        };
        const std::vector<std::uint8_t> decisions = model::random_bytes(seed, bytes);
        if (!play(decisions).empty()) {
            FAIL() << "seed " << seed << "; the shortest run with a fault: "
                   << play(model::shrink(decisions, [&](auto part) { return !play(part).empty(); }));
        }
    }
}

bool serves_any_size(const kind& k) {
    return k.any_size;
}

bool is_local(const kind& k) {
    return k.any_size && k.from_ledger;
}

} // namespace

TEST_P(contract, aligns_blocks_of_every_size) {
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{3}, alignment - 1, alignment,
                                        alignment + 1, 2 * alignment + 5, std::size_t{200}}) {
            allocate(bytes, alignment);
        }
    }
}

TEST_P(contract, returns_an_address_for_zero_bytes) {
    for (int i = 0; i < 3; ++i) {
        allocate(0, 1);
        allocate(0, 16);
        allocate(0, 64);
    }
    deallocate_all();
    allocate(0, 16);
}

TEST_P(contract, keeps_blocks_apart_and_bytes_intact) {
    perform_random_operations(GetParam(), 4, 1500, false);
}

TEST_P(local_contract, keeps_blocks_apart_over_releases) {
    perform_random_operations(GetParam(), 2, 2250, true);
}

INSTANTIATE_TEST_SUITE_P(of, contract, ::testing::ValuesIn(model::kinds_if(serves_any_size)), test_name);
INSTANTIATE_TEST_SUITE_P(of, local_contract, ::testing::ValuesIn(model::kinds_if(is_local)), test_name);
INSTANTIATE_TEST_SUITE_P(of, failure_contract, ::testing::ValuesIn(model::kinds_if(is_local)), test_name);

} // namespace contract
