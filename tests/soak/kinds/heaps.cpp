// The heaps whose memory comes from the ledger, or is theirs.
#include "soak/kinds/add_kinds.hpp"

namespace soak {

namespace {

/// Regions of 16 MiB.
constexpr bounds bounded{.live_bytes = std::size_t{4} << 20, .may_refuse = true};

[[maybe_unused]] const bool added = [] {
    add_adaptors<contract::plain_heap>("heap");
    add_bindings<contract::heap_of_small_chunks>("heap_of_small_chunks");
    add_bindings<contract::heap_over_multipool>("heap_over_multipool");
    add_bindings<contract::heap_over_buffer>("heap_over_buffer", bounded);
    add_adaptors<contract::heap_in_region>("heap_in_region", bounded);
    return true;
}();

} // namespace

} // namespace soak
