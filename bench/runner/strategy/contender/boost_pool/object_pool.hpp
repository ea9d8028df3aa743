/// boost::object_pool: an ordered pool that knows at its end which objects are still alive.
///
/// Configuration: the defaults of boost::pool (boost_pool.hpp). There is no choice of how to free: free() keeps
/// the list of free blocks sorted by walking it, in time linear in its length.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <boost/pool/object_pool.hpp>

namespace bench {

template <std::size_t Bytes>
class boost_object_pool_source {
public:
    [[nodiscard]] void* allocate(std::size_t, std::size_t) {
        void* block = (pool_.malloc)();
        if (block == nullptr) [[unlikely]] {
            throw std::bad_alloc();
        }
        return block;
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept {
        (pool_.free)(static_cast<sized_node<Bytes>*>(p));
    }

private:
    boost::object_pool<sized_node<Bytes>> pool_;
};

template <>
struct source_traits<mechanism_kind::boost_object_pool> : sized_source<boost_object_pool_source> {};

} // namespace bench
