#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<local_heap>& density_table_for() {
    return density_table_under<type_parameter<local_heap>>();
}

} // namespace bench
