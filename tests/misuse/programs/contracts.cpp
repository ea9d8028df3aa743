// Calls that break a contract. NDEBUG leaves out the checks and these programs.
#include "misuse/programs/program.hpp"

#include <mallard/mallard.hpp>

#ifndef NDEBUG

#include <cstddef>

using mallard::block_size;

namespace {

/// The compiler warns of the constant.
const volatile std::size_t minus_one = static_cast<std::size_t>(-1);

/// The mechanisms themselves, without a registry.
namespace bare {

template <class Upstream = mallard::chunk_cache>
using monotonic = mallard::unchecked::monotonic<Upstream>;
template <class Upstream = mallard::chunk_cache>
using multipool = mallard::unchecked::multipool<Upstream, mallard::hybrid_order, mallard::eighth_classes>;
template <class Upstream = mallard::chunk_cache>
using concurrent_multipool = mallard::unchecked::concurrent_multipool<Upstream>;
template <class Arena = mallard::growing_arena<>>
using fixed_pool = mallard::unchecked::fixed_pool<Arena, mallard::last_freed, mallard::block_size{}>;
template <class Upstream = mallard::chunk_cache>
using small_object_pool = mallard::unchecked::small_object_pool<Upstream>;
template <class Upstream = mallard::chunk_cache>
using adaptive_pool = mallard::unchecked::adaptive_pool<Upstream, mallard::slab_shape::divided>;
template <class Upstream = mallard::chunk_cache>
using heap = mallard::unchecked::heap<Upstream>;

} // namespace bare

template <class A>
void allocate_at(std::size_t alignment) {
    A a;
    static_cast<void>(a.allocate(24, alignment));
}

} // namespace

BREAKS_CONTRACT(checked_alignment_of_3, "checked_mechanism.hpp", "is_power_of_two(a.alignment)") {
    allocate_at<mallard::multipool<>>(3);
}
BREAKS_CONTRACT(checked_alignment_of_3_at_least, "checked_mechanism.hpp", "is_power_of_two(a.alignment)") {
    mallard::heap<> heap;
    static_cast<void>(heap.try_allocate_at_least(24, 3));
}
BREAKS_CONTRACT(checked_expansion_to_more_than_preferred, "checked_mechanism.hpp",
                "g.request.least_bytes <= g.request.preferred_bytes") {
    mallard::heap<> heap;
    heap.expand(nullptr, {.least_bytes = 24, .preferred_bytes = 8});
}
BREAKS_CONTRACT(checked_expansion_at_alignment_3, "checked_mechanism.hpp",
                "is_power_of_two(g.request.alignment)") {
    mallard::heap<> heap;
    heap.expand(nullptr, {.least_bytes = 24, .preferred_bytes = 24, .alignment = 3});
}
BREAKS_CONTRACT(checked_burst_of_small_sizes, "checked_mechanism.hpp", "bytes >= sizeof(void*)") {
    mallard::heap<> heap;
    const std::size_t sizes[] = {24, 4};
    static_cast<void>(heap.allocate_many(sizes, 8));
}

BREAKS_CONTRACT(monotonic_alignment_of_0, "monotonic.hpp", "is_power_of_two(alignment)") {
    allocate_at<bare::monotonic<>>(0);
}
BREAKS_CONTRACT(monotonic_of_a_negative_size, "monotonic.hpp", "bytes <= PTRDIFF_MAX") {
    const bare::monotonic<> arena(minus_one);
}
BREAKS_CONTRACT(monotonic_in_a_buffer_of_a_negative_size, "monotonic.hpp", "buffer.size() <= PTRDIFF_MAX") {
    std::byte room[64];
    const bare::monotonic<> arena(room, minus_one);
}
BREAKS_CONTRACT(multipool_alignment_of_24, "multipool.hpp", "is_power_of_two(alignment)") {
    allocate_at<bare::multipool<>>(24);
}
BREAKS_CONTRACT(multipool_burst_at_alignment_24, "multipool.hpp", "is_power_of_two(alignment)") {
    bare::multipool<> pool;
    static_cast<void>(pool.allocate_many(24, 24, 2));
}
BREAKS_CONTRACT(concurrent_multipool_alignment_of_24, "concurrent_multipool.hpp",
                "is_power_of_two(alignment)") {
    allocate_at<bare::concurrent_multipool<>>(24);
}
BREAKS_CONTRACT(fixed_pool_alignment_of_24, "fixed_pool.hpp", "is_power_of_two(alignment)") {
    allocate_at<bare::fixed_pool<>>(24);
}
BREAKS_CONTRACT(fixed_pool_request_above_block_size, "fixed_pool.hpp", "serves(bytes, alignment)") {
    bare::fixed_pool<> pool;
    pool.deallocate(pool.allocate(24, 8), 32, 8);
}
BREAKS_CONTRACT(fixed_pool_block_of_no_size, "fixed_pool.hpp", "alignment_ != 0") {
    bare::fixed_pool<> pool;
    static_cast<void>(pool.allocate_block());
}
BREAKS_CONTRACT(fixed_pool_burst_at_alignment_24, "fixed_pool.hpp", "is_power_of_two(alignment)") {
    bare::fixed_pool<> pool;
    static_cast<void>(pool.allocate_many(24, 24, 2));
}
BREAKS_CONTRACT(small_object_pool_alignment_of_24, "small_object_pool.hpp", "is_power_of_two(alignment)") {
    allocate_at<bare::small_object_pool<>>(24);
}
BREAKS_CONTRACT(adaptive_pool_alignment_of_24, "adaptive_pool.hpp", "is_power_of_two(alignment)") {
    allocate_at<bare::adaptive_pool<>>(24);
}
BREAKS_CONTRACT(heap_alignment_of_24, "heap_calls.hpp", "is_power_of_two(alignment)") {
    allocate_at<bare::heap<>>(24);
}
BREAKS_CONTRACT(heap_shrinking_to_more, "heap_calls.hpp", "bytes <= had") {
    bare::heap<> heap;
    heap.shrink(heap.allocate(24, 8), 1000);
}
BREAKS_CONTRACT(heap_expansion_to_more_than_preferred, "heap_calls.hpp",
                "r.least_bytes <= r.preferred_bytes && is_power_of_two(r.alignment)") {
    bare::heap<> heap;
    static_cast<void>(heap.try_expand(heap.allocate(24, 8), {.least_bytes = 24, .preferred_bytes = 8}));
}
BREAKS_CONTRACT(heap_expansion_by_an_odd_step, "heap_calls.hpp",
                "r.step_bytes != 0 && r.step_bytes % heap_block::granule_bytes == 0") {
    bare::heap<> heap;
    static_cast<void>(
        heap.try_expand(heap.allocate(24, 8), {.least_bytes = 100, .preferred_bytes = 100, .step_bytes = 7}));
}
BREAKS_CONTRACT(expansion_command_that_is_none, "expandable_allocator.hpp",
                "(command & ~command_bits::all) == 0") {
    mallard::heap<> heap;
    mallard::expandable_allocator<int, mallard::heap<>> binding(heap);
    std::size_t preferred = 8;
    int* reuse = nullptr;
    static_cast<void>(binding.allocation_command(~0U, 4, preferred, reuse));
}

#endif
