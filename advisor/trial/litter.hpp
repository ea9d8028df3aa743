/// Fragments the global heap, as in a program that has run for long.
#pragma once

#include <cstdint>

namespace mallard::trial {

/// Effects: allocates `blocks` blocks of 16 to 512 bytes, and frees three quarters of them in random order.
void litter_heap(std::uint32_t blocks) noexcept;

} // namespace mallard::trial
