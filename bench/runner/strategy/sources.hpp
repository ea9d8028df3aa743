/// Every strategy as a source of blocks: the papers' mechanisms, the global allocator, and the registered ones.
#pragma once

#include "runner/contenders.hpp" // generated: the installed libraries (cmake/contenders.cmake)
#include "runner/strategy/global_source.hpp"
#include "runner/strategy/library_pools.hpp"
#include "runner/strategy/mechanisms.hpp"
#include "runner/strategy/source_of.hpp"

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <span>

namespace bench {

/// Effects: constructs the source of `s` for blocks of `shape`, over `buffer` if it takes one, calls `use` with its
/// handle, and destroys it. It does not construct null, and allocators that threads share.
/// Requires: refuse_unserved() did not throw.
/// Returns: the number of chunks that mallard's monotonic allocator took beyond its buffer.
template <std::convertible_to<block_shape> Shape, class Use>
std::size_t with_source(const strategy& s, std::span<std::byte> buffer, Shape shape, Use&& use) {
    switch (s.mechanism) {
    case mechanism_kind::global: {
        global_source source;
        use(source);
        return 0;
    }
    case mechanism_kind::new_delete:
        if constexpr (!survey_only) {
            use(abstract(*mallard::new_delete_resource()));
        }
        return 0;
    case mechanism_kind::monotonic:
    case mechanism_kind::multipool:
    case mechanism_kind::multipool_over_monotonic:
    case mechanism_kind::heap:
        return with_mechanism(s, buffer, use);
    default:
        with_kind(s.mechanism, [&]<mechanism_kind Kind>() {
            if constexpr (registered<Kind>) {
                with_registered_source<Kind>(buffer, shape, use);
            } else {
                std::abort();
            }
        });
        return 0;
    }
}

} // namespace bench
