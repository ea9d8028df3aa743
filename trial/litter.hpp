/// The state of a global heap that has been used for long.
#pragma once

#include <cstdint>

namespace mallard::trial {

/// Effects: allocates `blocks` blocks of 16 to 512 bytes, and frees three in four of them in no order.
void litter_heap(std::uint32_t blocks) noexcept;

} // namespace mallard::trial
