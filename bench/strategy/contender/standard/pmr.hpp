/// The contenders of the standard library: std::pmr's resources, which any program has at hand.
///
/// Configuration: the monotonic resource begins in the caller's buffer where there is one, like AS3 to AS6.
/// The pools have their default options: the implementation's own limits, which a program that sets none gets
/// (libstdc++: blocks up to 4 KiB are pooled). Upstream is the default resource, which is new and delete.
#pragma once

#include "bench/strategy/source_of.hpp"

#include <memory_resource>

namespace bench {

class pmr_monotonic_source : public std::pmr::monotonic_buffer_resource {
public:
    using base_type = std::pmr::memory_resource;

    pmr_monotonic_source() = default;
    explicit pmr_monotonic_source(std::span<std::byte> given)
        : monotonic_buffer_resource(given.data(), given.size()) {}
};

template <class Resource>
class pmr_pool_source : public Resource {
public:
    using base_type = std::pmr::memory_resource;
};

template <>
struct source_of<mechanism_kind::pmr_monotonic> : plain_source<pmr_monotonic_source> {};
template <>
struct source_of<mechanism_kind::pmr_unsynchronized>
    : plain_source<pmr_pool_source<std::pmr::unsynchronized_pool_resource>> {};
template <>
struct source_of<mechanism_kind::pmr_synchronized>
    : plain_source<pmr_pool_source<std::pmr::synchronized_pool_resource>> {};

} // namespace bench
