/// The contenders of the standard library: std::pmr's resources, which any program has at hand.
///
/// Configuration: the monotonic resource begins in the caller's buffer if there is one, like AS3 to AS6. The pools
/// have their default options, blocks up to 4 KiB, which are the fastest for small structures: a pool for larger blocks
/// takes several at once. The one "large" holds blocks up to libstdc++'s limit, 4 MiB; so does the one over the
/// monotonic resource, as in AS11 to AS14, where a larger block would never be used again. The one "cached" takes its
/// chunks from the upstream of mallard's monotonic: what is left of a difference is the resource itself. Upstream of the
/// others is the default resource, which is new and delete.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <mallard/bind/resource.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <memory_resource>

namespace bench {

class pmr_monotonic_source : public std::pmr::monotonic_buffer_resource {
public:
    using base_type = std::pmr::memory_resource;

    pmr_monotonic_source() = default;
    explicit pmr_monotonic_source(std::span<std::byte> buffer)
        : monotonic_buffer_resource(buffer.data(), buffer.size()) {}
};

/// A base, because it must be there before the resource and after it.
struct pmr_chunk_cache {
    mallard::resource<mallard::chunk_cache> chunks;
};

class pmr_cached_monotonic_source : private pmr_chunk_cache, public std::pmr::monotonic_buffer_resource {
public:
    using base_type = std::pmr::memory_resource;

    pmr_cached_monotonic_source() : monotonic_buffer_resource(&chunks) {}
};

/// Blocks up to the limit. 0 stands for the implementation's own limit.
inline constexpr std::pmr::pool_options large_blocks{.max_blocks_per_chunk = 0,
                                                     .largest_required_pool_block = std::size_t{4} << 20};

template <class Resource>
class pmr_pool_source : public Resource {
public:
    using base_type = std::pmr::memory_resource;
};

class pmr_large_pool_source : public std::pmr::unsynchronized_pool_resource {
public:
    using base_type = std::pmr::memory_resource;

    pmr_large_pool_source() : unsynchronized_pool_resource(large_blocks) {}
};

/// A base, because it must be there before the pool and after it.
struct pmr_arena {
    pmr_monotonic_source arena;

    pmr_arena() = default;
    explicit pmr_arena(std::span<std::byte> buffer) : arena(buffer) {}
};

class pmr_pool_over_monotonic_source : private pmr_arena, public std::pmr::unsynchronized_pool_resource {
public:
    using base_type = std::pmr::memory_resource;

    pmr_pool_over_monotonic_source() : unsynchronized_pool_resource(large_blocks, &arena) {}
    explicit pmr_pool_over_monotonic_source(std::span<std::byte> buffer)
        : pmr_arena(buffer), unsynchronized_pool_resource(large_blocks, &arena) {}
};

template <>
struct source_traits<mechanism_kind::pmr_monotonic> : plain_source<pmr_monotonic_source> {};
template <>
struct source_traits<mechanism_kind::pmr_monotonic_cached> : plain_source<pmr_cached_monotonic_source> {};
template <>
struct source_traits<mechanism_kind::pmr_unsynchronized>
    : plain_source<pmr_pool_source<std::pmr::unsynchronized_pool_resource>> {};
template <>
struct source_traits<mechanism_kind::pmr_unsynchronized_large> : plain_source<pmr_large_pool_source> {};
template <>
struct source_traits<mechanism_kind::pmr_unsynchronized_over_monotonic>
    : plain_source<pmr_pool_over_monotonic_source> {};
template <>
struct source_traits<mechanism_kind::pmr_synchronized>
    : plain_source<pmr_pool_source<std::pmr::synchronized_pool_resource>> {};

} // namespace bench
