// monotonic, alone and over a multipool.
#include "model/kinds/add.hpp"

namespace model {

void add_monotonics(kind_list& to) {
    constexpr bounds forgetful{.uses_again = false};
    add<monotonic, extent::everything>(to, "monotonic", {}, forgetful);
    add<monotonic_with_buffer>(to, "monotonic_with_buffer", {}, forgetful);
    // A smaller chunk that the pool is asked for, too, may leave a list of its size there.
    add<monotonic_over_multipool, extent::checked>(to, "monotonic_over_multipool", {.leaves_no_trace = false},
                                                   forgetful);
}

} // namespace model
