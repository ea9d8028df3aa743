#include "contract/add_kinds.hpp"
#include "contract/kind.hpp"
#include "contract/recipe.hpp"

#include <string>

namespace contract {

void add_heaps(kinds& to) {
    add_with_adaptors<plain_heap>(to, "heap", true);
    add_kinds<heap_of_small_chunks>(to, "heap_of_small_chunks", true);
    add_kinds<heap_over_multipool>(to, "heap_over_multipool", true);
    add_kinds<synchronized_heap>(to, "synchronized_heap", true);
    for (kind& k : to) {
        k.asks_again = k.fills_gaps = k.allocator.find("heap") != std::string::npos;
    }
}

void add_heaps_over_upstreams(kinds& to) {
    add_kinds<heap_over_system<mallard::chunk_cache>>(to, "heap_over_chunk_cache", true);
    add_kinds<heap_over_system<mallard::new_delete>>(to, "heap_over_new_delete", true);
    add_kinds<heap_over_system<mallard::pages>>(to, "heap_over_pages", true);
    add_kinds<heap_over_buffer>(to, "heap_over_buffer", true);
    add_kinds<heap_in_region>(to, "heap_in_region", true);
}

} // namespace contract
