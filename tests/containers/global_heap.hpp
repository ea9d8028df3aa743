/// Block count of the replaced operators new and delete of this program.
#pragma once

namespace containers {

/// Returns: the number of live blocks on the global heap.
[[nodiscard]] long blocks_on_global_heap() noexcept;

} // namespace containers
