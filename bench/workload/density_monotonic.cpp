#include "bench/workload/density_tables.hpp"

namespace bench {

constinit const density_table<mallard::monotonic<>> density_monotonic =
    make_density_table<type_parameter<mallard::monotonic<>>>();

} // namespace bench
