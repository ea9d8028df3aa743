/// How the chunks of an allocator grow: geometrically, from a first size to a largest one.
///
///     first_chunk_bytes   x factor   x factor   ...   64 KiB   x 2   x 2   ...   largest_chunk_bytes   ...
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::inline MALLARD_MODE {

/// The sizes of the chunks that an allocator takes from its upstream, in bytes, headers included; powers of two.
/// Each chunk is `factor` times as large as the previous one, or twice from 64 KiB on, up to
/// `largest_chunk_bytes`. A single request that needs more gets a chunk of exactly that size.
///
/// Any number has a meaning. The largest size is a limit: it is rounded down to a power of two, and the first
/// size is at most that. The first size and the factor are rounded up. Planned chunks have from 64 bytes to 64
/// TiB, and the factor is at least 2; for chunks of one size, make the first and the largest size equal. A size
/// of 0 is the default.
struct chunk_growth {
    std::size_t first_chunk_bytes = 256;
    std::size_t largest_chunk_bytes = std::size_t{8} << 20;
    std::size_t factor = 2;
};

} // namespace mallard::inline MALLARD_MODE
