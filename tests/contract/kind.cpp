#include "contract/kind.hpp"

#include "contract/add_kinds.hpp"
#include "contract/recipe.hpp"

#include <ostream>

namespace contract {

namespace {

const kinds& all_local_allocators() {
    static const kinds all = [] {
        kinds k;
        add_with_adaptors<monotonic>(k, "monotonic", false);
        add_kinds<monotonic_with_buffer>(k, "monotonic_with_buffer", false);
        add_kinds<multipool_reusing<mallard::last_freed>>(k, "multipool_last_freed", true);
        add_checked_kinds<multipool_reusing<mallard::first_freed>>(k, "multipool_first_freed", true);
        add_kinds<multipool_of_small_blocks>(k, "multipool_of_small_blocks", true);
        add_kinds<fast_fit>(k, "fast_fit", true);
        add_checked_kinds<fixed_pool_reusing<mallard::last_freed>>(k, "fixed_pool_last_freed", true);
        add_kinds<fixed_pool_reusing<mallard::first_freed>>(k, "fixed_pool_first_freed", true);
        add_kinds<multipool_over_monotonic>(k, "multipool_over_monotonic", true);
        add_kinds<monotonic_over_multipool>(k, "monotonic_over_multipool", false);
        add_kinds<synchronized_monotonic>(k, "synchronized_monotonic", false);
        add_kinds<synchronized_multipool>(k, "synchronized_multipool", true);
        add_checked_kinds<small_object_pool>(k, "small_object_pool", true);
        add_kinds<adaptive_pool<mallard::slab_shape::divided>>(k, "adaptive_pool", true);
        add_kinds<adaptive_pool<mallard::slab_shape::undivided>>(k, "adaptive_pool_aligned", true);
        add_checked_kinds<concurrent_multipool>(k, "concurrent_multipool", true);
        add_kinds<concurrent_multipool_of_small_blocks>(k, "concurrent_multipool_of_small_blocks", true);
        add_kinds<segregate>(k, "segregate", true);
        add_kinds<fallback>(k, "fallback", true);
        add_kinds<multipool_over_reference>(k, "multipool_over_reference", true);
        add_heaps(k);
        for (kind& entry : k) {
            entry.asks_again |= entry.allocator == "segregate" || entry.allocator == "fallback";
        }
        return k;
    }();
    return all;
}

} // namespace

kinds local_allocators(const std::string& allocator) {
    kinds chosen;
    for (const kind& k : all_local_allocators()) {
        if (k.allocator == allocator) {
            chosen.push_back(k);
        }
    }
    return chosen;
}

kinds upstreams() {
    kinds k;
    add_bindings<system_upstream<mallard::new_delete>, none>(k, "new_delete", "plain", true);
    add_bindings<system_upstream<mallard::pages>, none>(k, "pages", "plain", true);
    add_bindings<system_upstream<mallard::chunk_cache>, none>(k, "chunk_cache", "plain", true);
    add_bindings<buffer_upstream, none>(k, "buffer", "plain", false);
    add_heaps_over_upstreams(k);
    return k;
}

std::string kind_name(const kind& k) {
    return k.adaptor + "_" + k.binding;
}

std::ostream& operator<<(std::ostream& out, const kind& k) {
    return out << k.allocator << "/" << k.adaptor << "/" << k.binding;
}

} // namespace contract
