/// Account of this program's operators new and delete, which are replaced.
#pragma once

namespace containers {

/// Returns: the number of blocks of the global heap that are in use.
[[nodiscard]] long blocks_on_global_heap() noexcept;

} // namespace containers
