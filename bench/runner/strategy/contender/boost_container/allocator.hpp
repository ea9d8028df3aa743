/// boost::container::allocator: Boost's modified dlmalloc, the article's AllocatorPlus; one for the process.
///
/// Configuration: version 2, the default, which has bursts. Its lock is compiled into the library.
#pragma once

#include "runner/strategy/contender/boost_container/burst.hpp"
#include "runner/strategy/source_of.hpp"

#include <boost/container/allocator.hpp>
#include <new>

namespace bench {

class boost_allocator_source {
public:
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t) { return memory().allocate(bytes); }

    static void deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
        memory().deallocate(static_cast<std::byte*>(p), bytes);
    }

    [[nodiscard]] static mallard::block_chain allocate_many(std::size_t bytes, std::size_t,
                                                            std::size_t count) {
        if (count == 0) {
            return {};
        }
        memory::multiallocation_chain chain;
        memory().allocate_many(bytes, count, chain);
        const auto [first, last] = chain.extract_data();
        return mallard::block_chain(first, last, count);
    }

    /// Returns: blocks in runs of `contiguous`, which lie side by side. The allocator has no such function, but its malloc
    /// has the article's argument.
    [[nodiscard]] static mallard::block_chain allocate_many(std::size_t bytes, std::size_t, std::size_t count,
                                                            std::size_t contiguous) {
        if (count == 0) {
            return {};
        }
        boost::container::dlmalloc_memchain chain;
        BOOST_CONTAINER_MEMCHAIN_INIT(&chain);
        if (boost::container::dlmalloc_multialloc_nodes(count, bytes, contiguous, &chain) == 0) {
            throw std::bad_alloc();
        }
        return mallard::block_chain(BOOST_CONTAINER_MEMCHAIN_FIRSTMEM(&chain),
                                    BOOST_CONTAINER_MEMCHAIN_LASTMEM(&chain), count);
    }

    static void deallocate_many(mallard::block_chain&& blocks, std::size_t, std::size_t) noexcept {
        deallocate_individual(memory(), std::move(blocks));
    }

    static void trim() noexcept { boost::container::dlmalloc_trim(0); }

private:
    using memory = boost::container::allocator<std::byte>;
};

template <>
struct source_traits<mechanism_kind::boost_allocator> : plain_source<boost_allocator_source> {
    template <class T>
    using allocator = boost::container::allocator<T>;
};

} // namespace bench
