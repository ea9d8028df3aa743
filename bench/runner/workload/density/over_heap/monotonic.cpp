#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<heap_monotonic>& density_table_for() {
    return density_table_under<type_parameter<heap_monotonic>>();
}

} // namespace bench
