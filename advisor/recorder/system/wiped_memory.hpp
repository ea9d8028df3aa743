/// Memory that identifies the child of any fork.
#pragma once

#include <cstddef>

namespace mallard::recorder {

/// Returns: anonymous memory that is zero in the child of a fork; null on failure.
void* memory_wiped_at_fork(std::size_t bytes) noexcept;

} // namespace mallard::recorder
