// multipool, by each order of reuse and with other classes of sizes.
#include "soak/kinds/add_kinds.hpp"

namespace soak {

namespace {

[[maybe_unused]] const bool added = [] {
    add_adaptors<contract::multipool_reusing<mallard::last_freed>>("multipool_last_freed");
    add_adaptors<contract::multipool_reusing<mallard::first_freed>>("multipool_first_freed");
    add_bindings<contract::multipool_of_small_blocks>("multipool_of_small_blocks", {.slowness = 4});
    add_bindings<contract::fast_fit>("fast_fit");
    add_bindings<contract::multipool_over_monotonic>("multipool_over_monotonic",
                                                     {.live_bytes = std::size_t{4} << 20});
    return true;
}();

} // namespace

} // namespace soak
