#include "runner/workload/density/contenders.hpp"

namespace bench {

template <>
const density_table<mimalloc_heap_source>& density_table_for() {
    return density_table_under<type_parameter<mimalloc_heap_source>>();
}

} // namespace bench
