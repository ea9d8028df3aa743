// monotonic, alone and over and under a multipool.
#include "soak/kinds/add_kinds.hpp"

namespace soak {

namespace {

constexpr bounds forgetful{.uses_again = false};

[[maybe_unused]] const bool added = [] {
    add_adaptors<contract::monotonic>("monotonic", forgetful);
    add_adaptors<contract::monotonic_with_buffer>("monotonic_with_buffer", forgetful);
    add_bindings<contract::monotonic_over_multipool>("monotonic_over_multipool", forgetful);
    add_bindings<contract::synchronized_monotonic>("synchronized_monotonic", forgetful);
    return true;
}();

} // namespace

} // namespace soak
