/// Boost.Container's polymorphic resources: its own implementation of std::pmr's.
///
/// Configuration: as std::pmr's (standard/pmr.hpp). Here the default options are the largest that are allowed: 32
/// blocks of a size at a time, blocks up to 4 KiB.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <boost/container/pmr/memory_resource.hpp>
#include <boost/container/pmr/monotonic_buffer_resource.hpp>
#include <boost/container/pmr/unsynchronized_pool_resource.hpp>

namespace bench {

/// Boost's abstract base, which is not std::pmr's.
using boost_resource = boost::container::pmr::memory_resource;

class boost_pmr_monotonic_source : public boost::container::pmr::monotonic_buffer_resource {
public:
    using base_type = boost_resource;

    boost_pmr_monotonic_source() = default;
    explicit boost_pmr_monotonic_source(std::span<std::byte> buffer)
        : monotonic_buffer_resource(buffer.data(), buffer.size()) {}
};

class boost_pmr_unsynchronized_source : public boost::container::pmr::unsynchronized_pool_resource {
public:
    using base_type = boost_resource;
};

/// A base, because it must be there before the pool and after it.
struct boost_pmr_arena {
    boost_pmr_monotonic_source arena;

    boost_pmr_arena() = default;
    explicit boost_pmr_arena(std::span<std::byte> buffer) : arena(buffer) {}
};

class boost_pmr_pool_over_monotonic_source : private boost_pmr_arena,
                                             public boost::container::pmr::unsynchronized_pool_resource {
public:
    using base_type = boost_resource;

    boost_pmr_pool_over_monotonic_source() : unsynchronized_pool_resource(&arena) {}
    explicit boost_pmr_pool_over_monotonic_source(std::span<std::byte> buffer)
        : boost_pmr_arena(buffer), unsynchronized_pool_resource(&arena) {}
};

template <>
struct source_traits<mechanism_kind::boost_pmr_unsynchronized_over_monotonic>
    : plain_source<boost_pmr_pool_over_monotonic_source> {};
template <>
struct source_traits<mechanism_kind::boost_pmr_monotonic> : plain_source<boost_pmr_monotonic_source> {};
template <>
struct source_traits<mechanism_kind::boost_pmr_unsynchronized>
    : plain_source<boost_pmr_unsynchronized_source> {};

} // namespace bench
