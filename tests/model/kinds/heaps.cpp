// The heaps, whose memory comes from the ledger or is theirs.
#include "model/kinds/add.hpp"

namespace model {

void add_heaps(kind_list& to) {
    constexpr traits heap{.fills_gaps = true, .leaves_no_trace = false};
    constexpr traits with_memory{.from_ledger = false};
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    /// Regions of 16 MiB.
    constexpr bounds bounded{.live_bytes = 4 * mebibyte, .may_refuse = true};
    /// Large enough for blocks with ranges of addresses to themselves.
    constexpr bounds with_large_blocks{.bytes = 2 * mebibyte, .live_bytes = 32 * mebibyte, .slowness = 2};

    add<plain_heap, extent::everything>(to, "heap", heap);
    add<heap_of_small_chunks, extent::checked>(to, "heap_of_small_chunks", heap);
    add<heap_over_multipool>(to, "heap_over_multipool", heap);
    add<heap_over_system<mallard::chunk_cache>>(to, "heap_over_chunk_cache", with_memory, with_large_blocks);
    add<heap_over_system<mallard::new_delete>>(to, "heap_over_new_delete", with_memory);
    add<heap_over_system<mallard::pages>>(to, "heap_over_pages", with_memory, with_large_blocks);
    add<heap_over_buffer>(to, "heap_over_buffer", with_memory, bounded);
    add<heap_in_region>(to, "heap_in_region", with_memory, bounded);
    add<heap_in_growing_region>(
        to, "heap_in_growing_region", {.from_ledger = false, .any_size = false},
        {.bytes = mebibyte, .alignment = 8192, .live_bytes = 4 * mebibyte, .may_refuse = true});
}

} // namespace model
