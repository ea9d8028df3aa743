#include "runner/workload/density/contenders.hpp"

namespace bench {

template <>
const density_table<process_wide<mechanism_kind::boost_fast_pool>>& density_table_for() {
    return density_table_under<process_wide_binding<mechanism_kind::boost_fast_pool>>();
}

} // namespace bench
