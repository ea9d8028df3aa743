#include "runner/workload/density/contenders.hpp"

namespace bench {

template <>
const density_table<foonathan_collection_source>& density_table_for() {
    return density_table_under<type_parameter<foonathan_collection_source>>();
}

template <>
const density_table<foonathan_stack_source>& density_table_for() {
    return density_table_under<type_parameter<foonathan_stack_source>>();
}

template <>
const density_table<foonathan_temporary_source>& density_table_for() {
    return density_table_under<type_parameter<foonathan_temporary_source>>();
}

} // namespace bench
