/// The blocks of pools that an adaptor records. They are independent of malloc's blocks, at any address.
///
/// Data model: for each pool its live blocks by address, and its allocations in order, because a pool may be rolled
/// back by a number of allocations. Sums are kept by name.
///
/// A free of a block that is not live in its pool is wrong. The block may belong to another pool, to malloc, or to
/// nobody.
#pragma once

#include "profiler/blocks/block_table.hpp"
#include "trace/event.hpp"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

class recorded_pools {
public:
    struct totals {
        std::uint64_t pools = 0;
        std::uint64_t allocations = 0;
        std::uint64_t bytes = 0;
        std::uint64_t frees = 0;
        std::uint64_t releases = 0;
        std::uint64_t live_bytes = 0; ///< of all pools of the name
        std::uint64_t peak_bytes = 0;
        // Wrong frees.
        std::uint64_t wrong_pool_frees = 0;   ///< of blocks of another pool
        std::uint64_t malloc_block_frees = 0; ///< of blocks of malloc
        std::uint64_t stale_frees =
            0; ///< of blocks without an owner: released, rolled back, or already freed
        std::uint64_t frees_by_malloc = 0; ///< of blocks of these pools, by a function of malloc
        trace::context_id first_wrong = 0; ///< context of the first wrong free; 0 if there is none
    };

    /// Requires: the event is one of a pool.
    void follow(const trace::event& event, const block_table& of_malloc);
    /// Effects: counts a free by malloc of a block that malloc does not have, if a pool has it.
    void free_by_malloc(const trace::event& event);

    /// By the number of the name.
    [[nodiscard]] const std::map<std::uint64_t, totals>& by_name() const noexcept { return by_name_; }

private:
    struct block {
        std::uint64_t address = 0;
        std::uint64_t allocation = 0; ///< counts those of the pool
    };
    struct live {
        std::uint64_t bytes = 0;
        std::uint64_t allocation = 0;
    };
    struct pool {
        std::unordered_map<std::uint64_t, live> blocks;
        std::vector<block> order;
        std::uint64_t allocations = 0; ///< that were not rolled back
    };

    /// Limits the pools that are searched for owners of blocks, in total. Programs have millions of pools, and of
    /// wrong frees.
    static constexpr std::uint64_t max_searched_pools = 20'000'000;

    void free_wrongly(const trace::event& event, totals& sums, const block_table& of_malloc);
    /// Returns: the number of the pool that owns the block, or 0.
    std::uint64_t find_owner(std::uint64_t address);

    std::map<std::uint64_t, totals> by_name_;
    std::unordered_map<std::uint64_t, pool> pools_;
    std::uint64_t searched_pools_ = 0;
};

} // namespace mallard::advisor
