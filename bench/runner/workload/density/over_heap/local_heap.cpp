#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<heap_local_heap>& density_table_for() {
    return density_table_under<type_parameter<heap_local_heap>>();
}

} // namespace bench
