#include "bench/workload/density_tables.hpp"

namespace bench {

constinit const density_table<counting_source> density_counted =
    make_density_table<type_parameter<counting_source>>();

} // namespace bench
