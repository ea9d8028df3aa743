/// foonathan::memory::memory_pool: pools of one size, of three kinds.
///
/// Configuration: blocks of 4 KiB at first, as in its tutorial, or enough for 16 nodes, and twice as many each
/// time, from malloc. node_pool is its fastest, array_pool keeps its free list sorted and searches it,
/// small_node_pool has nodes of less than a pointer. Debian builds it without its checks of leaks, pointers
/// and repeated frees; of its own checks that of sizes remains, which the pool's own functions do not make.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <algorithm>
#include <foonathan/memory/memory_pool.hpp>

namespace bench {

template <class PoolType>
class foonathan_pool_source {
public:
    explicit foonathan_pool_source(block_shape shape)
        : pool_(shape.stride(), std::max<std::size_t>(4096, pool_type::min_block_size(shape.stride(), 16))) {}

    [[nodiscard]] void* allocate(std::size_t, std::size_t) { return pool_.allocate_node(); }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { pool_.deallocate_node(p); }

private:
    using pool_type = foonathan::memory::memory_pool<PoolType>;

    pool_type pool_;
};

template <>
struct source_traits<mechanism_kind::foonathan_node>
    : plain_source<foonathan_pool_source<foonathan::memory::node_pool>> {};
template <>
struct source_traits<mechanism_kind::foonathan_array>
    : plain_source<foonathan_pool_source<foonathan::memory::array_pool>> {};
template <>
struct source_traits<mechanism_kind::foonathan_small>
    : plain_source<foonathan_pool_source<foonathan::memory::small_node_pool>> {};

} // namespace bench
