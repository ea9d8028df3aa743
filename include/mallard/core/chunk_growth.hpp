/// How the chunks of an allocator grow: with all that it holds, from a first size to a largest one.
///
///     KiB:    1/4   x factor ...   4   8   16 16   32 32 32 32   64 (8 times)   128 (8 times)   256   512   ...   8192 ...
///             ^ first_chunk_bytes                                                               largest_chunk_bytes ^
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard { inline namespace MALLARD_MODE {

/// The sizes of the chunks that an allocator takes from its upstream, in bytes, headers included; powers of two.
/// Each chunk is `factor` times as large as the previous one, or twice from 4 KiB on, up to `largest_chunk_bytes`. From
/// 16 KiB to 128 KiB several chunks have a size, the more the larger it is, unless their blocks are few and large: so the
/// free end of the newest chunk of a pool of 200 KiB or more is less than three tenths of all, up to chunks in huge pages. A
/// single request that needs more than the largest chunk gets a chunk of exactly that size.
///
/// Any number has a meaning. The largest size is a limit: it is rounded down to a power of two, and the first
/// size is at most that. The first size and the factor are rounded up. Planned chunks have from 64 bytes to 64
/// TiB, and the factor is from 2 to 2^31; for chunks of one size, make the first and the largest size equal. A size
/// of 0 is the default.
///
/// A program of many small allocators makes the first chunk as large as most of them need, headers and lists included: each then
/// takes one chunk. A pool of eight nodes of two sizes needs 512 bytes.
///
/// Options have it as a member, `{.growth = {.factor = 4}}`, so that allocators of different types take the same one.
struct chunk_growth {
    std::size_t first_chunk_bytes = 256;
    std::size_t largest_chunk_bytes = std::size_t{8} << 20;
    std::size_t factor = 2;
};

}} // namespace mallard::MALLARD_MODE
