/// Loki::SmallObjAllocator, of "Modern C++ Design": chunks of at most 255 blocks, a list in each of them.
///
/// Configuration: the defaults, chunks of 4 KiB for objects of up to 256 bytes, 4 bytes apart; larger ones
/// come from operator new. Without Loki's lock, which is taken by the operators of its SmallObject and not by
/// the allocator itself, and an object of its own where Loki has a singleton. It frees in time linear in the
/// number of chunks if it has to search for a block's chunk.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <loki/SmallObj.h>

namespace bench {

class loki_source : private Loki::SmallObjAllocator {
public:
    loki_source()
        : SmallObjAllocator(LOKI_DEFAULT_CHUNK_SIZE, LOKI_MAX_SMALL_OBJECT_SIZE,
                            LOKI_DEFAULT_OBJECT_ALIGNMENT) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return Allocate(mallard::core::align_up(bytes, alignment), true);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        Deallocate(p, mallard::core::align_up(bytes, alignment));
    }

    void trim() noexcept { TrimExcessMemory(); }
};

template <>
struct source_traits<mechanism_kind::loki> : plain_source<loki_source> {};

} // namespace bench
