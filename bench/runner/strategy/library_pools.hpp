/// The library's pools beyond the papers' two allocators, as sources.
///
/// Configuration: the defaults. A fixed_pool gets its size when it is constructed, and allocates blocks without
/// inspecting requests, as boost::pool does; an adaptive_pool learns its size from the first request, and takes other
/// blocks straight from its upstream. The static pools are fixed pools that a type names, one for each size and
/// process, without a lock, because one thread uses them.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <mallard/bind/static_allocator.hpp>
#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/region_heap.hpp>
#include <mallard/local/small_object_pool.hpp>

#include <cstddef>
#include <span>

namespace bench {

class fixed_pool_source : public mallard::fixed_pool<> {
public:
    explicit fixed_pool_source(block_shape shape) noexcept
        : fixed_pool(mallard::block_size{shape.bytes, shape.alignment}) {}

    [[nodiscard]] void* allocate(std::size_t, std::size_t) { return allocate_block(); }
    void deallocate(void* p, std::size_t, std::size_t) noexcept { deallocate_block(p); }
};

/// Names the pool of nodes of `Bytes` bytes. It is constructed statically, so that accesses need no check.
template <std::size_t Bytes>
class static_nodes {
public:
    [[nodiscard]] static auto& pool() noexcept { return nodes; }

private:
    static inline mallard::fixed_pool_for<sized_node<Bytes>> nodes;
};

template <std::size_t Bytes>
class static_pool_source {
public:
    [[nodiscard]] static void* allocate(std::size_t, std::size_t) {
        return static_nodes<Bytes>::pool().allocate_block();
    }

    static void deallocate(void* p, std::size_t, std::size_t) noexcept {
        static_nodes<Bytes>::pool().deallocate_block(p);
    }

    static void release() noexcept { static_nodes<Bytes>::pool().release(); }
};

template <mallard::slab_shape Shape>
class adaptive_pool_source : public mallard::adaptive_pool<mallard::chunk_cache, Shape> {
public:
    explicit adaptive_pool_source(block_shape) noexcept {}
};

template <>
struct source_traits<mechanism_kind::fixed_pool> : plain_source<fixed_pool_source> {};
template <>
struct source_traits<mechanism_kind::small_object_pool> : plain_source<mallard::small_object_pool<>> {};
template <>
struct source_traits<mechanism_kind::adaptive_pool>
    : plain_source<adaptive_pool_source<mallard::slab_shape::divided>> {};
template <>
struct source_traits<mechanism_kind::adaptive_pool_aligned>
    : plain_source<adaptive_pool_source<mallard::slab_shape::undivided>> {};
template <>
struct source_traits<mechanism_kind::static_pool> : sized_source<static_pool_source> {
    template <class T, std::size_t NodeBytes>
    using node_allocator = mallard::static_allocator<T, static_nodes<NodeBytes>>;
};
template <>
struct source_traits<mechanism_kind::fast_fit> : plain_source<mallard::fast_fit<>> {};

/// A heap in a region, as a source. The workload owns the region, and computes its size.
class region_heap_source {
public:
    explicit region_heap_source(std::span<std::byte> region)
        : heap_(mallard::region_heap::create_in(region)) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate(p, bytes, alignment);
    }

    [[nodiscard]] mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment,
                                                     std::size_t count) {
        return heap_.allocate_many(bytes, alignment, count);
    }

    void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate_many(std::move(blocks), bytes, alignment);
    }

    [[nodiscard]] mallard::region_heap& heap() noexcept { return heap_; }

private:
    mallard::region_heap& heap_;
};

template <>
struct source_traits<mechanism_kind::region_heap> : plain_source<region_heap_source> {};

} // namespace bench
