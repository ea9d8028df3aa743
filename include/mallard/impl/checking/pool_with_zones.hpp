/// A pool of one size whose blocks have room for guard zones.
///
///     request of the registry:   [ zone | the caller's 20 bytes | zone ]          (impl/checking/block_registry.hpp)
///     the pool's block:          [ zone | 24, the pool's own size | zone ]
///
/// Data model: the pool, made for blocks larger by their zones; its arena has room for as many of them
/// (local/arenas.hpp). To the caller it is the pool without zones: it has the pool's size, and refuses a request
/// if the pool would. Only impl/checking/checked_mechanism.hpp asks it for blocks.
/// Bound: blocks with their zones have at most most_block_bytes (core/block_size.hpp). So it refuses some
/// requests near that size, or near that alignment, that the pool serves.
#pragma once

#include <mallard/core/block_size.hpp>
#include <mallard/core/build_mode.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::checking { inline namespace MALLARD_MODE {

template <class Pool>
class pool_with_zones : public Pool {
    using arena_type = typename Pool::arena_type;

public:
    static constexpr bool has_fixed_blocks = false; ///< there is room around them

    template <class = void>
    using with_room_for_zones = Pool;

    /// Effects: makes the pool.
    template <class... ArenaArguments>
        requires std::is_constructible_v<arena_type, ArenaArguments...>
    explicit constexpr pool_with_zones(ArenaArguments&&... arena) noexcept
        : Pool(std::forward<ArenaArguments>(arena)...) {}

    /// Effects: makes the pool for blocks that hold `size` and its zones.
    template <class... ArenaArguments>
        requires std::is_constructible_v<arena_type, ArenaArguments...> &&
                 std::is_constructible_v<Pool, block_size, ArenaArguments...>
    explicit constexpr pool_with_zones(block_size size, ArenaArguments&&... arena)
        : Pool(core::expect_possible(size).with_zones(), std::forward<ArenaArguments>(arena)...) {}

    /// Returns: the block size without the zones.
    [[nodiscard]] std::size_t block_bytes() const noexcept {
        const std::size_t pool_block_bytes = Pool::block_bytes();
        return pool_block_bytes == 0
                   ? 0
                   : block_size{pool_block_bytes, Pool::block_alignment()}.bytes_without_zones();
    }

    /// Returns: a block of the pool. `bytes` include the zones.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        const block_size padded = of_the_pool(bytes, alignment);
        return Pool::allocate(padded.bytes, padded.alignment);
    }

    /// Returns: a block of the pool; null if there is none. `bytes` include the zones.
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
        const block_size padded = of_the_pool(bytes, alignment);
        return Pool::try_allocate(padded.bytes, padded.alignment);
    }

    /// Effects: reserves blocks of the pool. `bytes` include the zones.
    void reserve(std::size_t bytes, std::size_t alignment, std::size_t count) {
        const block_size padded = of_the_pool(bytes, alignment);
        Pool::reserve(padded.bytes, padded.alignment, count);
    }

private:
    /// Returns: the request to the pool, so that zones change neither the size that the first one fixes nor the
    /// requests that are refused.
    [[nodiscard]] block_size of_the_pool(std::size_t bytes, std::size_t alignment) const noexcept {
        const std::size_t pool_block_bytes = Pool::block_bytes();
        const block_size inner{bytes - core::front_zone_bytes(alignment) - core::guard_zone_bytes, alignment};
        if (pool_block_bytes == 0 && inner.is_possible()) {
            return inner.with_zones();
        }
        return {inner.bytes <= block_bytes() ? bytes : bytes + pool_block_bytes, alignment};
    }
};

/// The mechanism to check instead of A: A itself, or, if A is a pool that can have larger blocks or adapts such a
/// pool, the pool with zones.
template <class A>
struct room_for_zones {
    using type = A;
};

template <class A>
    requires requires { typename A::template with_room_for_zones<>; }
struct room_for_zones<A> {
    using type = pool_with_zones<typename A::template with_room_for_zones<>>;
};

template <class A>
using room_for_zones_t = typename room_for_zones<A>::type;

template <template <class, class...> class Adaptor, class A, class... Args>
    requires requires { typename Adaptor<A, Args...>::mechanism_type; }
struct room_for_zones<Adaptor<A, Args...>> {
    using type = Adaptor<room_for_zones_t<A>, Args...>;
};

}} // namespace mallard::checking::MALLARD_MODE
