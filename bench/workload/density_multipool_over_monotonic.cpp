#include "bench/workload/density_tables.hpp"

namespace bench {

constinit const density_table<mallard::multipool<mallard::monotonic<>>> density_multipool_over_monotonic =
    make_density_table<type_parameter<mallard::multipool<mallard::monotonic<>>>>();

} // namespace bench
