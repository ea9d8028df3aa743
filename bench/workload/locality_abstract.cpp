/// The code for lists behind the abstract base. No resource is known here, so every call is virtual.
#include "bench/workload/locality_measure.hpp"

namespace bench {

template void measure_locality(const locality_cell&, const subsystem_life<std::pmr::list<int>>&, row&);

} // namespace bench
