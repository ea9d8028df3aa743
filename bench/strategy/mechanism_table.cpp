#include "bench/strategy/mechanism_table.hpp"

#include <algorithm>
#include <iterator>

namespace bench {

namespace {

using enum mechanism_kind;
using enum capability;

constexpr capability any = any_size | containers;
/// In the order of the enumerators.
constexpr mechanism_row mechanisms[] = {
    {null, "none: memory that is already there", any},
    {global, "global default", any | reuses | all_threads},
    {global_kept, "global default, page return off", any | reuses | all_threads},
    {new_delete, "new/delete", any | reuses | all_threads},
    {monotonic, "monotonic", any | own | takes_buffer},
    {multipool, "multipool", any | own | reuses | bursts},
    {multipool_over_monotonic, "multipool backed by monotonic", any | own | takes_buffer | reuses},
    {shared_synchronized, "one synchronized multipool for all threads", any | reuses | all_threads},
    {shared_concurrent, "one concurrent multipool for all threads", any | reuses | all_threads},

    {.kind = fixed_pool, .text = "fixed_pool", .can = own | reuses | bursts, .first_bytes = 512},
    {.kind = small_object_pool,
     .text = "small_object_pool",
     .can = any | own | reuses | bursts,
     .first_bytes = 16384},
    {.kind = adaptive_pool,
     .text = "adaptive_pool, an overhead of two percent",
     .can = own | reuses | bursts,
     .first_bytes = 16384},
    {.kind = adaptive_pool_aligned,
     .text = "adaptive_pool, blocks that are not divided",
     .can = own | reuses | bursts,
     .first_bytes = 16384},
    {.kind = static_pool,
     .text = "static_allocator over a fixed_pool for each size of a node",
     .can = reuses,
     .largest_block = largest_node_bytes},
    {fast_fit, "multipool with classes of powers of two", any | own | reuses | bursts},
    {.kind = heap,
     .text = "heap, which joins what is free",
     .can = any | own | reuses | bursts,
     .first_bytes = 4096},
    {region_heap, "region_heap, in memory of the caller's", any | own | reuses | bursts},
    {class_new, "class-specific operator new over a fixed_pool", reuses},
    {fixed_string, "strings in blocks of one size from a fixed_pool", reuses},
    {c_realloc, "realloc", reuses},

    {pmr_monotonic, "std::pmr::monotonic_buffer_resource", any | own | takes_buffer, library_kind::standard},
    {.kind = pmr_unsynchronized,
     .text = "std::pmr::unsynchronized_pool_resource",
     .can = any | own | reuses,
     .library = library_kind::standard,
     .first_bytes = 2048},
    {.kind = pmr_synchronized,
     .text = "std::pmr::synchronized_pool_resource",
     .can = any | own | reuses | all_threads,
     .library = library_kind::standard,
     .first_bytes = 3072},
    {.kind = boost_pool,
     .text = "boost::pool",
     .can = own | reuses,
     .library = library_kind::boost_pool,
     .first_bytes = 800},
    {.kind = boost_object_pool,
     .text = "boost::object_pool",
     .can = own | reuses,
     .library = library_kind::boost_pool,
     .largest_block = largest_node_bytes,
     .first_bytes = 800},
    {.kind = boost_fast_pool,
     .text = "boost::fast_pool_allocator",
     .can = containers | reuses,
     .library = library_kind::boost_pool,
     .largest_block = largest_node_bytes},
    {boost_pmr_monotonic, "boost::container::pmr::monotonic_buffer_resource", any | own | takes_buffer,
     library_kind::boost_container},
    {.kind = boost_pmr_unsynchronized,
     .text = "boost::container::pmr::unsynchronized_pool_resource",
     .can = any | own | reuses,
     .library = library_kind::boost_container,
     .first_bytes = 1024},
    {.kind = boost_adaptive_pool,
     .text = "boost::container::adaptive_pool",
     .can = containers | own | reuses | bursts,
     .library = library_kind::boost_container,
     .largest_block = largest_node_bytes,
     .first_bytes = 8192},
    {.kind = boost_node,
     .text = "boost::container::node_allocator",
     .can = containers | reuses | bursts,
     .library = library_kind::boost_container,
     .largest_block = largest_node_bytes},
    {boost_allocator, "boost::container::allocator", any | reuses | all_threads | bursts,
     library_kind::boost_container},
    {boost_interprocess, "boost::interprocess::rbtree_best_fit", any | own | reuses,
     library_kind::boost_interprocess},
    {.kind = foonathan_node,
     .text = "foonathan::memory::memory_pool<node_pool>",
     .can = own | reuses,
     .library = library_kind::foonathan,
     .first_bytes = 4096},
    {.kind = foonathan_array,
     .text = "foonathan::memory::memory_pool<array_pool>",
     .can = own | reuses,
     .library = library_kind::foonathan,
     .first_bytes = 4096},
    {.kind = foonathan_small,
     .text = "foonathan::memory::memory_pool<small_node_pool>",
     .can = own | reuses,
     .library = library_kind::foonathan,
     .first_bytes = 8192},
    {.kind = foonathan_collection,
     .text = "foonathan::memory::memory_pool_collection<node_pool, log2_buckets>",
     .can = any | own | reuses,
     .library = library_kind::foonathan,
     .first_bytes = 16384},
    {foonathan_stack, "foonathan::memory::memory_stack", any | own, library_kind::foonathan},
    {foonathan_temporary, "foonathan::memory::temporary_allocator", any | own, library_kind::foonathan},
    {.kind = loki,
     .text = "Loki::SmallObjAllocator",
     .can = any | own | reuses,
     .library = library_kind::loki,
     .first_bytes = 12288},
    {.kind = mimalloc_heap,
     .text = "mi_heap_new, mi_heap_destroy",
     .can = any | own | reuses,
     .library = library_kind::mimalloc,
     .first_bytes = 69632},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i != std::size(mechanisms); ++i) {
        if (mechanisms[i].kind != static_cast<mechanism_kind>(i)) {
            return false;
        }
    }
    return std::size(mechanisms) == mechanism_count;
}
static_assert(in_order());

constexpr library_row contender_libraries[] = {
    {library_kind::standard, "std::pmr", "libstdc++-12-dev", true, ""},
    {library_kind::boost_pool, "Boost.Pool", "libboost-dev", BENCH_HAS_BOOST_POOL != 0, BENCH_WHY_BOOST_POOL},
    {library_kind::boost_container, "Boost.Container", "libboost-container-dev",
     BENCH_HAS_BOOST_CONTAINER != 0, BENCH_WHY_BOOST_CONTAINER},
    {library_kind::boost_interprocess, "Boost.Interprocess", "libboost-dev",
     BENCH_HAS_BOOST_INTERPROCESS != 0, BENCH_WHY_BOOST_INTERPROCESS},
    {library_kind::foonathan, "foonathan/memory", "libfoonathan-memory-dev", BENCH_HAS_FOONATHAN != 0,
     BENCH_WHY_FOONATHAN},
    {library_kind::loki, "Loki", "libloki-dev", BENCH_HAS_LOKI != 0, BENCH_WHY_LOKI},
    {library_kind::mimalloc, "mimalloc", "libmimalloc-dev", BENCH_HAS_MIMALLOC != 0, BENCH_WHY_MIMALLOC},
};

} // namespace

const mechanism_row& row_of(mechanism_kind kind) noexcept {
    return mechanisms[static_cast<std::size_t>(kind)];
}

std::span<const library_row> libraries() noexcept {
    return contender_libraries;
}

const library_row* library_named(library_kind kind) noexcept {
    const auto* found = std::ranges::find(contender_libraries, kind, &library_row::kind);
    return found == std::end(contender_libraries) ? nullptr : found;
}

const library_row* library_of(mechanism_kind kind) noexcept {
    return library_named(row_of(kind).library);
}

bool is_built(mechanism_kind kind) noexcept {
    const library_row* library = library_of(kind);
    return library == nullptr || library->built;
}

} // namespace bench
