/// Account of this program's operators new and delete, which are replaced.
#pragma once

namespace containers {

/// Returns: how many blocks of the global heap nobody has given back.
[[nodiscard]] long blocks_on_global_heap() noexcept;

} // namespace containers
