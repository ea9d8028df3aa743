#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<counting_source>& density_table_for() {
    return density_table_under<type_parameter<counting_source>>();
}

} // namespace bench
