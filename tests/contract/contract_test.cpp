// The contract of every source of memory: alignment, disjoint blocks, stable contents.
#include "contract/kind_test.hpp"
#include "model/checker.hpp"

#include <cstdlib>
#include <string>

namespace contract {

namespace {

/// MALLARD_TEST_SEED overrides the seed.
std::uint64_t first_seed() {
    const char* seed = std::getenv("MALLARD_TEST_SEED");
    return seed == nullptr ? 20160212 : std::strtoull(seed, nullptr, 10);
}

void run_random_streams(const kind& k, std::size_t streams, std::size_t length, bool releases) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + streams; ++seed) {
        const model::stream operations = model::random_stream(seed, length, releases);
        if (const model::finding failure = model::check(operations, k.make)) {
            FAIL() << failure.text << "\nseed " << seed << "; the shortest stream that shows it:\n"
                   << model::shrink(operations, failure.kind, k.make);
        }
    }
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
    run_random_streams(GetParam(), 4, 300, false);
}

TEST_P(local_contract, keeps_blocks_apart_over_releases) {
    run_random_streams(GetParam(), 2, 450, true);
}

} // namespace contract
