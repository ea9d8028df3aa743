/// boost::pool: simple segregated storage for blocks of one size.
///
/// Configuration: malloc() and free(), which its documentation calls the most efficient use, against the
/// ordered pair, which keeps the free list sorted; 32 blocks at first and twice as many each time, the
/// default; blocks from new and delete. The pool has no lock. It gives memory back when it is purged or
/// destroyed. release_memory() could give some back earlier, but needs an ordered list.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <boost/pool/pool.hpp>

namespace bench {

class boost_pool_source {
public:
    explicit boost_pool_source(block_shape shape) : pool_(shape.stride()) {}

    [[nodiscard]] void* allocate(std::size_t, std::size_t) {
        void* block = (pool_.malloc)();
        if (block == nullptr) [[unlikely]] {
            throw std::bad_alloc();
        }
        return block;
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { (pool_.free)(p); }

    void release() noexcept { pool_.purge_memory(); }

private:
    boost::pool<> pool_;
};

template <>
struct source_traits<mechanism_kind::boost_pool> : plain_source<boost_pool_source> {};

} // namespace bench
