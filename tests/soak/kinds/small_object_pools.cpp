// small_object_pool, by each order of reuse.
#include "soak/kinds/add_kinds.hpp"

namespace soak {

namespace {

[[maybe_unused]] const bool added = [] {
    add_adaptors<contract::small_object_pool_reusing<mallard::lowest_address>>("small_object_pool");
    add_bindings<contract::small_object_pool_reusing<mallard::last_freed>>("small_object_pool_last_freed");
    add_bindings<contract::small_object_pool_reusing<mallard::first_freed>>("small_object_pool_first_freed");
    add_bindings<contract::small_object_pool_reusing<mallard::hybrid_reuse>>(
        "small_object_pool_hybrid_reuse");
    return true;
}();

} // namespace

} // namespace soak
