#include "bench/workload/density_tables.hpp"

namespace bench {

constinit const density_table<mallard::multipool<>> density_multipool =
    make_density_table<type_parameter<mallard::multipool<>>>();

} // namespace bench
