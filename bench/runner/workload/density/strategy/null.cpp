#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<null_source>& density_table_for() {
    return density_table_under<type_parameter<null_source>>();
}

} // namespace bench
