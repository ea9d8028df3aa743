#include "runner/workload/density/contenders.hpp"

namespace bench {

template <>
const density_table<process_wide<mechanism_kind::boost_adaptive_pool>>& density_table_for() {
    return density_table_under<process_wide_binding<mechanism_kind::boost_adaptive_pool>>();
}

template <>
const density_table<process_wide<mechanism_kind::boost_node>>& density_table_for() {
    return density_table_under<process_wide_binding<mechanism_kind::boost_node>>();
}

template <>
const density_table<process_wide<mechanism_kind::boost_allocator>>& density_table_for() {
    return density_table_under<process_wide_binding<mechanism_kind::boost_allocator>>();
}

} // namespace bench
