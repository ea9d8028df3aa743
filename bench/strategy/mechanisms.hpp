/// What a strategy makes anew for every structure, and unmakes after it: the mechanism, bound as the strategy
/// says.
#pragma once

#include "bench/harness/escape.hpp"
#include "bench/strategy/global_source.hpp"
#include "bench/strategy/null_source.hpp"
#include "bench/strategy/table.hpp"

#include <mallard/bind/resource.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <span>
#include <utility>

namespace bench {

using monotonic = mallard::monotonic<>;
using multipool = mallard::multipool<>;
using multipool_over_monotonic = mallard::multipool<mallard::monotonic<>>;

/// Returns: the abstract base of `made`, of which the compiler no longer knows what it is.
inline std::pmr::memory_resource& abstract(std::pmr::memory_resource& made) noexcept {
    return *opaque(&made);
}

/// Effects: makes the mechanism of `s` over `buffer` (those that take one), calls `use` with its handle (the
/// mechanism itself, or std::pmr::memory_resource& for the abstract base), and destroys it.
/// Returns: how many chunks the monotonic allocator took beyond its buffer.
template <class Use>
std::size_t with_mechanism(const strategy& s, std::span<std::byte> buffer, Use&& use) {
    const bool by_type = s.binding == binding_kind::type_parameter;
    switch (s.mechanism) {
    case mechanism_kind::monotonic:
        if (by_type) {
            monotonic made(buffer);
            use(made);
            return made.stats().spills;
        } else {
            mallard::resource<monotonic> made(buffer);
            use(abstract(made));
            return made.mechanism().stats().spills;
        }
    case mechanism_kind::multipool:
        if (by_type) {
            multipool made;
            use(made);
        } else {
            mallard::resource<multipool> made;
            use(abstract(made));
        }
        return 0;
    case mechanism_kind::multipool_over_monotonic: {
        monotonic arena(buffer);
        if (by_type) {
            multipool_over_monotonic made(arena);
            use(made);
        } else {
            mallard::resource<multipool_over_monotonic> made(arena);
            use(abstract(made));
        }
        return arena.stats().spills;
    }
    case mechanism_kind::null:
    case mechanism_kind::global:
    case mechanism_kind::global_kept:
    case mechanism_kind::new_delete:
    case mechanism_kind::shared_synchronized:
    case mechanism_kind::shared_concurrent:
        break;
    }
    std::abort(); // these have nothing to make
}

/// Effects: as with_mechanism(), for the strategies without a mechanism of their own too: those use the global
/// allocator.
template <class Use>
std::size_t with_source(const strategy& s, std::span<std::byte> buffer, Use&& use) {
    if (s.mechanism == mechanism_kind::global) {
        global_source source;
        use(source);
        return 0;
    }
    if (s.mechanism == mechanism_kind::new_delete) {
        use(abstract(*mallard::new_delete_resource()));
        return 0;
    }
    return with_mechanism(s, buffer, use);
}

} // namespace bench
