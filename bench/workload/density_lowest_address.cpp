#include "bench/workload/density_tables.hpp"

namespace bench {

template <>
const density_table<multipool_by<mallard::lowest_address>>& density_table_for() {
    return density_table_under<type_parameter<multipool_by<mallard::lowest_address>>>();
}

} // namespace bench
