#include "bench/workload/density_tables.hpp"

namespace bench {

constinit const density_table<null_source> density_null = make_density_table<type_parameter<null_source>>();

} // namespace bench
