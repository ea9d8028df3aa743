/// The library's pools beyond the papers' two allocators, as sources.
///
/// Configuration: the defaults. A fixed_pool is told its size when it is made, and gives whole blocks without
/// looking at requests again, as boost::pool does; an adaptive_pool learns it
/// from the first request, and takes blocks that are no nodes straight from its upstream.
#pragma once

#include "bench/strategy/source_of.hpp"

#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/small_object_pool.hpp>

namespace bench {

class fixed_pool_source : public mallard::fixed_pool<> {
public:
    explicit fixed_pool_source(block_shape shape) noexcept
        : fixed_pool(mallard::block_size{shape.bytes, shape.alignment}) {}

    [[nodiscard]] void* allocate(std::size_t, std::size_t) { return allocate_block(); }
    void deallocate(void* p, std::size_t, std::size_t) noexcept { deallocate_block(p); }
};

template <std::size_t OverheadPercent>
class adaptive_pool_source
    : public mallard::adaptive_pool<mallard::chunk_cache,
                                    mallard::adaptive_pool_options{.overhead_percent = OverheadPercent}> {
public:
    explicit adaptive_pool_source(block_shape) noexcept {}
};

template <>
struct source_of<mechanism_kind::fixed_pool> : plain_source<fixed_pool_source> {};
template <>
struct source_of<mechanism_kind::small_object_pool> : plain_source<mallard::small_object_pool<>> {};
template <>
struct source_of<mechanism_kind::adaptive_pool> : plain_source<adaptive_pool_source<2>> {};
template <>
struct source_of<mechanism_kind::adaptive_pool_aligned>
    : plain_source<adaptive_pool_source<mallard::only_alignment>> {};
template <>
struct source_of<mechanism_kind::fast_fit> : plain_source<mallard::fast_fit<>> {};

} // namespace bench
