// small_object_pool, in slabs that come and go.
#include "soak/kinds/add_kinds.hpp"

namespace soak {

namespace {

[[maybe_unused]] const bool added = [] {
    add_adaptors<contract::small_object_pool>("small_object_pool");
    return true;
}();

} // namespace

} // namespace soak
