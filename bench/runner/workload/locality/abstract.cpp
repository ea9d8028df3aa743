/// The code for lists behind the abstract base and the inline base. No resource is known here.
#include "runner/workload/locality/measure.hpp"

namespace bench {

template void measure_locality(const locality_cell&, const subsystem_life<std::pmr::list<int>>&, row&);
template void measure_locality(const locality_cell&, const subsystem_life<inline_list>&, row&);

} // namespace bench
