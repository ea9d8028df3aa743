#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<walked_monotonic>& density_table_for() {
    return density_table_under<type_parameter<walked_monotonic>>();
}

} // namespace bench
