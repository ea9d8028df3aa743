#include "trial/serve/strategy.hpp"

#include "trial/serve/region.hpp"
#include "trial/serve/region_upstream.hpp"
#include "trial/serve/server.hpp"

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
constexpr std::size_t any_size = ~std::size_t{0};
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
    void* allocate(std::size_t bytes) { return of_size[bytes / boundary - 1].allocate(bytes, boundary); }
    void deallocate(void* block, std::size_t bytes) {
        of_size[bytes / boundary - 1].deallocate(block, bytes, boundary);
    }

    std::array<nodes, pools> of_size;

private:
    template <std::size_t... Pool>
    adaptive_pools(region_upstream& upstream, std::index_sequence<Pool...>)
        : of_size{nodes(block_size{(Pool + 1) * boundary, boundary}, upstream)...} {}
};

struct blocks_that_merge {
    static constexpr std::size_t largest_bytes = any_size;
    explicit blocks_that_merge(region_upstream& upstream) : blocks(upstream) {}
    void* allocate(std::size_t bytes) { return blocks.allocate(bytes, boundary); }
    void deallocate(void* block, std::size_t bytes) { blocks.deallocate(block, bytes, boundary); }

    heap<region_upstream> blocks;
};

template <typename Served>
constexpr strategy row(const char* name) {
    static_assert(sizeof(Served) <= strategy::room_bytes);
    return {
        .name = name,
        .largest_bytes = Served::largest_bytes,
        .make = [](server& of) { of.make<Served>(); },
        .allocate = [](server& of, std::size_t bytes) { return of.allocate_in<Served>(bytes); },
        .deallocate = [](server& of, void* block) { of.deallocate_in<Served>(block); },
    };
}

constexpr strategy null{
    .name = "null",
    .largest_bytes = 0,
    .make = [](server&) {},
    .allocate = [](server&, std::size_t) -> void* { return nullptr; },
    .deallocate = [](server&, void*) {},
};

constexpr std::array all{
    null,
    row<monotonic_region>("monotonic"),
    row<pool>("multipool"),
    row<pool_over_monotonic>("multipool+monotonic"),
    row<small_objects>("small-object-pool"),
    row<adaptive_pools>("adaptive-pool"),
    row<blocks_that_merge>("heap"),
};

} // namespace

const strategy* strategy::named(const char* name) noexcept {
    for (const strategy& each : all) {
        if (std::strcmp(each.name, name) == 0) {
            return &each;
        }
    }
    return nullptr;
}

} // namespace mallard::trial
