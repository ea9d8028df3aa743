/// Boost.Container's polymorphic resources: its own implementation of what std::pmr has.
///
/// Configuration: as std::pmr's (standard/pmr.hpp). The pools' default options are the largest that are
/// allowed: 32 blocks of a size at a time, blocks up to 4 KiB.
#pragma once

#include "bench/strategy/source_of.hpp"

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
    explicit boost_pmr_monotonic_source(std::span<std::byte> given)
        : monotonic_buffer_resource(given.data(), given.size()) {}
};

class boost_pmr_unsynchronized_source : public boost::container::pmr::unsynchronized_pool_resource {
public:
    using base_type = boost_resource;
};

template <>
struct source_of<mechanism_kind::boost_pmr_monotonic> : plain_source<boost_pmr_monotonic_source> {};
template <>
struct source_of<mechanism_kind::boost_pmr_unsynchronized> : plain_source<boost_pmr_unsynchronized_source> {};

} // namespace bench
