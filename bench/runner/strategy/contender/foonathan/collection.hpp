/// foonathan::memory::memory_pool_collection: pools of several sizes over one arena.
///
/// Configuration: node pools, the fastest kind, for powers of two up to 1 KiB (a pool for each single size
/// would begin with as many empty lists); larger blocks come from its heap_alloc(), as its segregator would
/// send them there. Blocks of 16 KiB at first: each pool takes an equal share of the next block, which has to
/// hold its largest node.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <algorithm>
#include <foonathan/memory/heap_allocator.hpp>
#include <foonathan/memory/memory_pool_collection.hpp>

namespace bench {

class foonathan_collection_source {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        if (const std::size_t node = node_bytes(bytes, alignment); node <= largest_bytes) [[likely]] {
            return pools_.allocate_node(node);
        }
        void* block = foonathan::memory::heap_alloc(bytes);
        if (block == nullptr) [[unlikely]] {
            throw std::bad_alloc();
        }
        return block;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (const std::size_t node = node_bytes(bytes, alignment); node <= largest_bytes) [[likely]] {
            pools_.deallocate_node(p, node);
        } else {
            foonathan::memory::heap_dealloc(p, bytes);
        }
    }

private:
    static constexpr std::size_t largest_bytes = 1024;

    /// A power of two is aligned to itself.
    static std::size_t node_bytes(std::size_t bytes, std::size_t alignment) noexcept {
        return std::max(bytes, alignment);
    }

    foonathan::memory::memory_pool_collection<foonathan::memory::node_pool, foonathan::memory::log2_buckets>
        pools_{largest_bytes, 16 * 1024};
};

template <>
struct source_traits<mechanism_kind::foonathan_collection> : plain_source<foonathan_collection_source> {};

} // namespace bench
