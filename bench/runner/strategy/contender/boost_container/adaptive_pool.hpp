/// boost::container::adaptive_pool: the pool of Gaztañaga's article, by its author.
///
/// Configuration: the article's: 256 nodes a block, two free blocks kept, two percent of overhead; with none, a block is
/// not divided, so that every node of it finds its header by alignment alone. Where a
/// workload makes an allocator for its nodes that is private_adaptive_pool, the class of the same header that
/// owns its pool and has no lock; behind containers it is adaptive_pool itself, whose pools are the process's,
/// as an allocator of version 1, which is the one that takes single nodes from them. BOOST_DISABLE_THREADS
/// leaves out its lock, too; that of its dlmalloc, which is compiled into the library, remains.
#pragma once

#include "runner/strategy/contender/boost_container/burst.hpp"
#include "runner/strategy/source_of.hpp"

#include <boost/container/adaptive_pool.hpp>

namespace bench {

inline constexpr std::size_t boost_nodes_a_block = 256;
inline constexpr std::size_t boost_free_blocks = 2;
inline constexpr std::size_t boost_overhead_percent = 2;
inline constexpr std::size_t boost_aligned_only = 0; // percent

template <std::size_t Bytes, std::size_t OverheadPercent>
class boost_adaptive_pool_source {
public:
    [[nodiscard]] void* allocate(std::size_t, std::size_t) { return nodes_.allocate_one(); }

    void deallocate(void* p, std::size_t, std::size_t) noexcept {
        nodes_.deallocate_one(static_cast<sized_node<Bytes>*>(p));
    }

    [[nodiscard]] mallard::block_chain allocate_many(std::size_t, std::size_t, std::size_t count) {
        return allocate_individual(nodes_, count);
    }

    void deallocate_many(mallard::block_chain&& blocks, std::size_t, std::size_t) noexcept {
        deallocate_individual(nodes_, std::move(blocks));
    }

    void trim() noexcept {
        nodes_.deallocate_free_blocks();
        boost::container::dlmalloc_trim(0);
    }

private:
    boost::container::private_adaptive_pool<sized_node<Bytes>, boost_nodes_a_block, boost_free_blocks,
                                            OverheadPercent>
        nodes_;
};

template <std::size_t Bytes>
using boost_adaptive_pool_of_two_percent = boost_adaptive_pool_source<Bytes, boost_overhead_percent>;
template <std::size_t Bytes>
using boost_adaptive_pool_of_aligned_blocks = boost_adaptive_pool_source<Bytes, boost_aligned_only>;

template <>
struct source_traits<mechanism_kind::boost_adaptive_pool> : sized_source<boost_adaptive_pool_of_two_percent> {
    template <class T>
    using allocator =
        boost::container::adaptive_pool<T, boost_nodes_a_block, boost_free_blocks, boost_overhead_percent, 1>;
};

template <>
struct source_traits<mechanism_kind::boost_adaptive_pool_aligned>
    : sized_source<boost_adaptive_pool_of_aligned_blocks> {};

} // namespace bench
