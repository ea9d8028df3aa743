/// Memory that tells the child of a fork apart, however it was made.
#pragma once

#include <cstddef>

namespace mallard::recorder {

/// Returns: anonymous memory that is zero in the child of a fork; null if there is none.
void* memory_wiped_at_fork(std::size_t bytes) noexcept;

} // namespace mallard::recorder
