// Allocators that several threads may use at once.
#include "model/kinds/add.hpp"

namespace model {

void add_shared(kind_list& to) {
    constexpr traits pool{.leaves_no_trace = false};
    add<concurrent_multipool, extent::checked>(to, "concurrent_multipool", pool);
    add<concurrent_multipool_of_small_blocks>(to, "concurrent_multipool_of_small_blocks", pool,
                                              {.slowness = 4});
    // A burst that fails returns its blocks one by one, and their memory stays used until a release.
    add<concurrent_monotonic, extent::checked>(to, "concurrent_monotonic", {.leaves_no_trace = false},
                                               {.uses_again = false});
    add<synchronized_monotonic>(to, "synchronized_monotonic", {.leaves_no_trace = false},
                                {.uses_again = false});
    add<synchronized_multipool>(to, "synchronized_multipool");
    add<synchronized_heap>(to, "synchronized_heap", {.fills_gaps = true, .leaves_no_trace = false});
}

} // namespace model
