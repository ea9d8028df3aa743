/// The headers of a slab, and of a chunk of slabs, in memory.
///
///     slab:   [ slots ... ][ slab_header | bits | summary ][ slots ... ]       see impl/slab/geometry.hpp
///     chunk:   [ word | chunk_of_slabs ][ ... of the first slab ... ]
///
/// Free slots are found by the bits (impl/slab/bitmap_slots.hpp).
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/impl/slab/geometry.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::slab { inline namespace MALLARD_MODE {

struct chunk_of_slabs {
    chunk_of_slabs* next;
    chunk_of_slabs* previous;
    std::size_t bytes;
    std::uint32_t slabs;
    std::uint32_t opened; ///< slabs with metadata
    std::uint32_t in_use; ///< opened slabs that have slots in use, or are current

    /// The first sub-slab of a chunk begins with the address of its metadata.
    static constexpr std::size_t offset = sizeof(void*);

    /// Returns: the begin of the chunk.
    [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this) - offset; }
};

static_assert(chunk_of_slabs::offset + sizeof(chunk_of_slabs) <= chunk_header_bytes);

enum class slab_state : std::uint8_t { current, available, exhausted };

/// The header of a slab.
struct slab_header {
    std::uint32_t used = 0;  ///< slots in use
    std::uint32_t low = 1;   ///< sank() has to be called if fewer slots are in use
    std::uint32_t fresh = 0; ///< the first word of slots that was never given out
    slab_state state = slab_state::exhausted;
    bool has_bits = false; ///< true once the bits were set to zero; new memory holds anything
    std::uint16_t bucket = 0;
    chunk_of_slabs* chunk = nullptr;
    std::array<slab_header*, 3> links{};
    slot_range under_bits; ///< and the summary
};

static_assert(sizeof(slab_header) <= slab_header_bytes);

/// A chunk has at most this many slabs; four times as many can be counted.
inline constexpr std::size_t most_chunk_slabs = std::size_t{1} << 29;

/// The numbers of slabs in the chunks of a pool, and the empty chunks that it keeps.
struct chunk_policy {
    std::uint32_t first_slabs = 1; ///< of the first chunk; the next have twice as many each
    std::uint32_t largest_slabs =
        1; ///< of the largest chunk, no fewer than of the first, at most most_chunk_slabs
    std::size_t spare_bytes = 0;   ///< an empty chunk of at most this may stay
    bool spares_an_eighth = false; ///< true: an empty chunk of at most an eighth of all memory may stay
};

}} // namespace mallard::slab::MALLARD_MODE
