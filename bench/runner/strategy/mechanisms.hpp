/// The objects that a strategy of the papers constructs for every structure and destroys after it: the mechanism with
/// the strategy's binding.
#pragma once

#include "runner/harness/escape.hpp"
#include "runner/strategy/null_source.hpp"
#include "runner/strategy/random_freed.hpp"
#include "runner/strategy/table.hpp"

#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/inline_resource.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/last_freed.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>

namespace bench {

/// A monotonic allocator whose users visit each block that they free.
///
/// A compiler that sees that deallocation does nothing removes the walk of a destructor along its nodes. Behind an
/// abstract base it cannot. Here the walk stays and the call does not, which separates their costs.
class walked_monotonic : public mallard::monotonic<> {
public:
    using mallard::monotonic<>::monotonic;

    void deallocate(void* p, std::size_t, std::size_t) noexcept { asm volatile("" : : "r"(p)); }
};

using monotonic = mallard::monotonic<>;
using multipool = mallard::multipool<>;
using local_heap = mallard::heap<>;
using multipool_over_monotonic = mallard::multipool<mallard::monotonic<>>;
using locked_multipool = mallard::synchronized<multipool>;
using locked_multipool_over_monotonic = mallard::synchronized<multipool_over_monotonic>;
template <class Reuse>
using multipool_by = mallard::multipool<mallard::chunk_cache, Reuse>;

/// Returns: the abstract base of `resource`, whose type is hidden from the compiler.
inline std::pmr::memory_resource& abstract(std::pmr::memory_resource& resource) noexcept {
    return *opaque(&resource);
}

/// Calls `use` with the base of `resource` for the binding, with its type hidden from the compiler.
template <class Use>
void with_base(binding_kind binding, mallard::inline_resource& resource, Use&& use) {
    if (binding == binding_kind::inline_base) {
        use(*opaque(&resource));
    } else if constexpr (!survey_only) {
        use(abstract(resource));
    }
}

/// Calls `use` with the type of the multipool for that order of reuse.
template <class Use>
auto with_multipool_by(reuse_kind kind, Use&& use) {
    if constexpr (!survey_only) {
        switch (kind) {
        case reuse_kind::last_freed:
            return use(std::type_identity<multipool_by<mallard::last_freed>>());
        case reuse_kind::first_freed:
            return use(std::type_identity<multipool_by<mallard::first_freed>>());
        case reuse_kind::random:
            return use(std::type_identity<multipool_by<random_freed>>());
        case reuse_kind::standard:
            break;
        }
    }
    return use(std::type_identity<multipool>());
}

/// Effects: constructs the mechanism of `s`, over `buffer` if it takes one, calls `use` with its handle (the
/// mechanism itself, or one of its bases), and destroys it. Chunks come from `Upstream`; only the default upstream
/// has the orders of reuse.
/// Returns: the number of chunks that the monotonic allocator took beyond its buffer.
template <class Upstream = mallard::chunk_cache, class Use>
std::size_t with_mechanism(const strategy& s, std::span<std::byte> buffer, Use&& use) {
    using arena_type = mallard::monotonic<Upstream>;
    using pool_type = mallard::multipool<Upstream>;
    using pool_over_arena_type = mallard::multipool<arena_type>;
    using heap_type = mallard::heap<Upstream>;
    const bool by_type = s.binding == binding_kind::type_parameter;
    switch (s.mechanism) {
    case mechanism_kind::monotonic:
        if (by_type) {
            arena_type allocator(buffer);
            use(allocator);
            return allocator.stats().spills;
        } else if constexpr (!survey_only) {
            mallard::resource<arena_type> allocator(buffer);
            with_base(s.binding, allocator, use);
            return allocator.mechanism().stats().spills;
        }
        break;
    case mechanism_kind::monotonic_walked:
        if constexpr (!survey_only && std::is_same_v<Upstream, mallard::chunk_cache>) {
            walked_monotonic allocator(buffer);
            use(allocator);
            return allocator.stats().spills;
        }
        break;
    case mechanism_kind::multipool:
        if (!by_type) {
            mallard::resource<pool_type> allocator;
            with_base(s.binding, allocator, use);
        } else if constexpr (std::is_same_v<Upstream, mallard::chunk_cache>) {
            with_multipool_by(s.reuse, [&use](auto type) {
                typename decltype(type)::type allocator;
                use(allocator);
            });
        } else {
            pool_type allocator;
            use(allocator);
        }
        return 0;
    case mechanism_kind::multipool_over_monotonic:
        if constexpr (!survey_only) {
            arena_type arena(buffer);
            if (by_type) {
                pool_over_arena_type allocator(arena);
                use(allocator);
            } else {
                mallard::resource<pool_over_arena_type> allocator(arena);
                with_base(s.binding, allocator, use);
            }
            return arena.stats().spills;
        }
        break;
    case mechanism_kind::heap:
        if (by_type) {
            heap_type allocator;
            use(allocator);
        } else if constexpr (!survey_only) {
            mallard::resource<heap_type> allocator;
            use(abstract(allocator));
        }
        return 0;
    default:
        break;
    }
    std::abort(); // the others are made elsewhere, or not at all
}

/// Effects: constructs a Mechanism, calls `use` with it or with its abstract base, and destroys it.
template <class Mechanism, class Use, class... Args>
void with_bound(binding_kind binding, Use&& use, Args&... args) {
    if (binding == binding_kind::type_parameter) {
        Mechanism allocator(args...);
        use(allocator);
    } else {
        mallard::resource<Mechanism> allocator(args...);
        use(abstract(allocator));
    }
}

/// Effects: as with_mechanism(), for a locked strategy.
template <class Use>
std::size_t with_locked_mechanism(const strategy& s, std::span<std::byte> buffer, Use&& use) {
    if (s.mechanism == mechanism_kind::multipool) {
        with_bound<locked_multipool>(s.binding, use);
        return 0;
    }
    monotonic arena(buffer);
    with_bound<locked_multipool_over_monotonic>(s.binding, use, arena);
    return arena.stats().spills;
}

} // namespace bench
