/// Boost.Interprocess's local heap: rbtree_best_fit, a tree of the free blocks by size, in a region of memory.
///
/// Configuration: the algorithm that its managed memories use by default, with the mutex family that does
/// nothing, because one thread uses it, and plain pointers, because the region is mapped once. The index of named
/// objects is one that takes no memory. The region is the workload's, as that of managed_external_buffer:
/// managed_heap_memory has one from new, and writes all of it at first.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <boost/interprocess/allocators/allocator.hpp>
#include <boost/interprocess/indexes/iset_index.hpp>
#include <boost/interprocess/managed_external_buffer.hpp>
#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>

namespace bench {

class boost_interprocess_source {
public:
    using memory = boost::interprocess::basic_managed_external_buffer<
        char, boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family, void*>,
        boost::interprocess::iset_index>;
    template <class T>
    using allocator = boost::interprocess::allocator<T, memory::segment_manager>;

    explicit boost_interprocess_source(std::span<std::byte> region)
        : memory_(boost::interprocess::create_only, region.data(), region.size()) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t) {
        void* const block = memory_.allocate(bytes, std::nothrow);
        if (block == nullptr) [[unlikely]] {
            throw std::bad_alloc(); // its own exception is not one
        }
        return block;
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { memory_.deallocate(p); }

    [[nodiscard]] memory::segment_manager* manager() noexcept { return memory_.get_segment_manager(); }

private:
    memory memory_;
};

template <>
struct source_traits<mechanism_kind::boost_interprocess> : plain_source<boost_interprocess_source> {};

} // namespace bench
