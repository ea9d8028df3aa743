#include "runner/workload/density/contenders.hpp"

namespace bench {

template <>
const density_table<loki_source>& density_table_for() {
    return density_table_under<type_parameter<loki_source>>();
}

} // namespace bench
