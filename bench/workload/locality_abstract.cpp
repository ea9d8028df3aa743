/// The abstract base's lists, where no resource is known: every call goes through the vtable.
#include "bench/workload/locality_measure.hpp"

namespace bench {

template void measure_locality(const locality_cell&, const subsystem_life<std::pmr::list<int>>&, row&);

} // namespace bench
