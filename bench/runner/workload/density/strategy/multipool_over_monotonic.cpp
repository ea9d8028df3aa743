#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<multipool_over_monotonic>& density_table_for() {
    return density_table_under<type_parameter<multipool_over_monotonic>>();
}

} // namespace bench
