/// boost::container::node_allocator: the article's simple segregated storage, one pool a size for the process.
///
/// Configuration: 256 nodes a block, the default and the article's; without its lock (BOOST_DISABLE_THREADS);
/// version 2 for nodes by themselves and in bursts, version 1 behind containers, which takes single nodes
/// from the pool. It gives memory back only when it is told to: deallocate_free_blocks() searches the list of
/// free nodes once for each block.
#pragma once

#include "runner/strategy/contender/boost_container/burst.hpp"
#include "runner/strategy/source_of.hpp"

#include <boost/container/node_allocator.hpp>

namespace bench {

template <std::size_t Bytes>
class boost_node_source {
public:
    [[nodiscard]] static void* allocate(std::size_t, std::size_t) { return nodes().allocate_one(); }

    static void deallocate(void* p, std::size_t, std::size_t) noexcept {
        nodes().deallocate_one(static_cast<sized_node<Bytes>*>(p));
    }

    [[nodiscard]] static mallard::block_chain allocate_many(std::size_t, std::size_t, std::size_t count) {
        return allocate_individual(nodes(), count);
    }

    static void deallocate_many(mallard::block_chain&& blocks, std::size_t, std::size_t) noexcept {
        deallocate_individual(nodes(), std::move(blocks));
    }

    static void trim() noexcept {
        nodes::deallocate_free_blocks();
        boost::container::dlmalloc_trim(0);
    }

private:
    using nodes = boost::container::node_allocator<sized_node<Bytes>>;
};

template <>
struct source_traits<mechanism_kind::boost_node> : sized_source<boost_node_source> {
    template <class T>
    using allocator = boost::container::node_allocator<T, boost::container::NodeAlloc_nodes_per_block, 1>;
};

} // namespace bench
