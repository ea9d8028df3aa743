#include "trial/strategy.hpp"

#include "trial/serve/kept_blocks.hpp"
#include "trial/serve/region.hpp"
#include "trial/serve/region_upstream.hpp"
#include "trial/serve/thread_arena.hpp"

#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/small_object_pool.hpp>

#include <array>
#include <cstring>
#include <utility>

namespace mallard::trial {

namespace {

constexpr std::size_t boundary = region::granule; // of every block, because malloc's callers rely on it
constexpr std::size_t any_size = region_upstream::most_bytes / 4;
constexpr chunk_growth growth{
    .first_chunk_bytes = 4096, .largest_chunk_bytes = std::size_t{1} << 20, .factor = 4};

struct monotonic_region {
    static constexpr std::size_t largest_bytes = any_size;
    explicit monotonic_region(region_upstream& upstream) : region(upstream, {.growth = growth}) {}
    void* allocate(std::size_t bytes) { return region.allocate(bytes, boundary); }
    void deallocate(void* block, std::size_t bytes) { region.deallocate(block, bytes, boundary); }
    void start_again() { region.rewind(); }

    monotonic<region_upstream> region;
};

struct pool {
    static constexpr std::size_t largest_bytes = any_size;
    explicit pool(region_upstream& upstream) : blocks(upstream, {.growth = growth}) {}
    void* allocate(std::size_t bytes) { return blocks.allocate(bytes, boundary); }
    void deallocate(void* block, std::size_t bytes) { blocks.deallocate(block, bytes, boundary); }

    multipool<region_upstream> blocks;
};

struct pool_over_monotonic {
    static constexpr std::size_t largest_bytes = any_size;
    explicit pool_over_monotonic(region_upstream& upstream)
        : region(upstream, {.growth = growth}), blocks(region, {.growth = growth}) {}
    void* allocate(std::size_t bytes) { return blocks.allocate(bytes, boundary); }
    void deallocate(void* block, std::size_t bytes) { blocks.deallocate(block, bytes, boundary); }
    void start_again() {
        blocks.release();
        region.rewind();
    }

    monotonic<region_upstream> region;
    multipool<monotonic<region_upstream>> blocks;
};

struct small_objects {
    static constexpr std::size_t largest_bytes = 64;
    explicit small_objects(region_upstream& upstream) : objects(upstream) {}
    void* allocate(std::size_t bytes) { return objects.allocate(bytes, boundary); }
    void deallocate(void* block, std::size_t bytes) { objects.deallocate(block, bytes, boundary); }

    small_object_pool<region_upstream> objects;
};

/// A pool for each size, because an adaptive pool has nodes of one size.
struct adaptive_pools {
    using nodes = adaptive_pool<region_upstream>;
    static constexpr std::size_t largest_bytes = nodes::largest_node_bytes;
    static constexpr std::size_t pools = largest_bytes / boundary;

    explicit adaptive_pools(region_upstream& upstream)
        : adaptive_pools(upstream, std::make_index_sequence<pools>{}) {}
    void* allocate(std::size_t bytes) {
        return pools_by_size[bytes / boundary - 1].allocate(bytes, boundary);
    }
    void deallocate(void* block, std::size_t bytes) {
        pools_by_size[bytes / boundary - 1].deallocate(block, bytes, boundary);
    }

    std::array<nodes, pools> pools_by_size;

private:
    template <std::size_t... Pool>
    adaptive_pools(region_upstream& upstream, std::index_sequence<Pool...>)
        : pools_by_size{nodes(block_size{(Pool + 1) * boundary, boundary}, upstream)...} {}
};

struct coalescing_blocks {
    static constexpr std::size_t largest_bytes = any_size;
    explicit coalescing_blocks(region_upstream& upstream) : blocks(upstream) {}
    void* allocate(std::size_t bytes) { return blocks.allocate(bytes, boundary); }
    void deallocate(void* block, std::size_t bytes) { blocks.deallocate(block, bytes, boundary); }

    heap<region_upstream> blocks;
};

template <typename Served>
constexpr strategy row(const char* name) {
    static_assert(sizeof(Served) <= strategy::room_bytes);
    strategy result{
        .name = name,
        .largest_bytes = Served::largest_bytes,
        .construct = [](thread_arena& arena) { arena.construct<Served>(); },
        .allocate = [](thread_arena& arena, std::size_t bytes) { return arena.allocate_in<Served>(bytes); },
        .deallocate = [](thread_arena& arena, void* block) { arena.deallocate_in<Served>(block); },
    };
    if constexpr (requires(Served& mechanism) { mechanism.next_bytes(); }) {
        result.make_room = [](thread_arena& arena, std::size_t bytes) {
            return arena.make_room_in<Served>(bytes);
        };
        result.resize = [](thread_arena& arena, void* block, std::size_t bytes) {
            return arena.resize_in<Served>(block, bytes);
        };
    }
    return result;
}

/// Blocks of the global allocator.
constexpr strategy unserved(const char* name, bool reserves) {
    return {
        .name = name,
        .largest_bytes = 0,
        .construct = [](thread_arena&) {},
        .allocate = [](thread_arena&, std::size_t) -> void* { return nullptr; },
        .deallocate = [](thread_arena&, void*) {},
        .reserves = reserves,
    };
}

constexpr std::array all{
    unserved("null", false),
    unserved("reserve", true),
    row<monotonic_region>("monotonic"),
    row<pool>("multipool"),
    row<pool_over_monotonic>("multipool+monotonic"),
    row<small_objects>("small-object-pool"),
    row<adaptive_pools>("adaptive-pool"),
    row<coalescing_blocks>("heap"),
    row<kept_blocks<1>>("kept-block"),
    row<kept_blocks<8>>("block-cache"),
};

} // namespace

const strategy* strategy::named(const char* name) noexcept {
    for (const strategy& candidate : all) {
        if (std::strcmp(candidate.name, name) == 0) {
            return &candidate;
        }
    }
    return nullptr;
}

} // namespace mallard::trial
