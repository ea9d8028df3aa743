// Allocators that several threads may use at once.
#include "soak/kinds/add_kinds.hpp"

namespace soak {

namespace {

[[maybe_unused]] const bool added = [] {
    add_adaptors<contract::concurrent_multipool>("concurrent_multipool");
    add_bindings<contract::concurrent_multipool_of_small_blocks>("concurrent_multipool_of_small_blocks",
                                                                 {.slowness = 4});
    add_adaptors<contract::synchronized_multipool>("synchronized_multipool");
    add_adaptors<contract::synchronized_heap>("synchronized_heap");
    return true;
}();

} // namespace

} // namespace soak
