/// The tables of Benchmark I. cmake/container_tables.cmake writes the files that include this header and instantiate
/// density_table_for for the handles of bench/runner/CMakeLists.txt and cmake/contenders.cmake.
#pragma once

#include "runner/workload/density/binding.hpp"

namespace bench {

template <class Handle>
const density_table<Handle>& density_table_for() {
    static constexpr auto table = make_density_table<typename binding_with<Handle>::type>();
    return table;
}

} // namespace bench
