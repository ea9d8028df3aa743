#include "runner/workload/density/tables.hpp"

namespace bench {

template <>
const density_table<multipool_by<random_freed>>& density_table_for() {
    return density_table_under<type_parameter<multipool_by<random_freed>>>();
}

} // namespace bench
