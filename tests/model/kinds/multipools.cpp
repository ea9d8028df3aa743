// multipool, by each order of reuse, with other classes of sizes, over other upstreams and in front of other allocators.
#include "model/kinds/add.hpp"

namespace model {

void add_multipools(kind_list& to) {
    constexpr traits compound{.leaves_no_trace = false};
    add<multipool_reusing<mallard::hybrid_order>, extent::adapted>(to, "multipool");
    add<multipool_reusing<mallard::last_freed>>(to, "multipool_last_freed");
    add<multipool_reusing<mallard::first_freed>>(to, "multipool_first_freed");
    add<multipool_of_small_blocks>(to, "multipool_of_small_blocks", {}, {.slowness = 4});
    add<fast_fit>(to, "fast_fit");
    add<shrinking_multipool>(to, "shrinking_multipool");
    add<multipool_over_monotonic>(to, "multipool_over_monotonic", {.has_other_memory = true},
                                  {.live_bytes = std::size_t{4} << 20});
    add<multipool_over_reference>(to, "multipool_over_reference");
    add<segregate>(to, "segregate", compound);
    add<fallback>(to, "fallback", compound);
}

} // namespace model
