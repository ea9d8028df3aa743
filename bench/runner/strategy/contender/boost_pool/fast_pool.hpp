/// boost::fast_pool_allocator: one boost::pool a size for the whole process.
///
/// Configuration: the allocator that its documentation names for containers of nodes and where speed matters
/// (pool_allocator is for contiguous memory), with null_mutex, because one thread uses it. Requests for more
/// than one element, a table of buckets or the characters of a string, go through the ordered functions of
/// the same pools, "but not as well": the walk of an unsorted list.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <boost/pool/pool_alloc.hpp>

namespace bench {

template <class T>
using boost_fast_pool_allocator =
    boost::fast_pool_allocator<T, boost::default_user_allocator_new_delete, boost::details::pool::null_mutex>;

template <std::size_t Bytes>
class boost_fast_pool_source {
public:
    [[nodiscard]] static void* allocate(std::size_t, std::size_t) { return nodes::allocate(); }

    static void deallocate(void* p, std::size_t, std::size_t) noexcept {
        nodes::deallocate(static_cast<sized_node<Bytes>*>(p));
    }

    static void release() noexcept {
        boost::singleton_pool<boost::fast_pool_allocator_tag, sizeof(sized_node<Bytes>),
                              typename nodes::user_allocator, typename nodes::mutex, nodes::next_size,
                              0>::purge_memory();
    }

private:
    using nodes = boost_fast_pool_allocator<sized_node<Bytes>>;
};

template <>
struct source_traits<mechanism_kind::boost_fast_pool> : sized_source<boost_fast_pool_source> {
    template <class T>
    using allocator = boost_fast_pool_allocator<T>;
};

} // namespace bench
