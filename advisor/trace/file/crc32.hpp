/// The checksum of a trace's frames: CRC-32, as in zip, PNG and zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mallard::trace {

/// Complexity: O(bytes), eight at a time.
std::uint32_t crc32(std::span<const std::byte> bytes) noexcept;

} // namespace mallard::trace
