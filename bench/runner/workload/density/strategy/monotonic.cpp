#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<monotonic>& density_table_for() {
    return density_table_under<type_parameter<monotonic>>();
}

} // namespace bench
