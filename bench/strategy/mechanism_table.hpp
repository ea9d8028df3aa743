/// The mechanisms as one table: what each can do, and for the contenders which library it comes from.
///
/// A strategy (strategy/table.hpp) is a mechanism, bound and ended in some way. Whether an experiment has a
/// strategy follows from the flags here. A contender is a row here, one in strategy/table.cpp, and a file in
/// strategy/contender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bench {

enum class mechanism_kind {
    null,
    global,
    global_kept,
    new_delete,
    monotonic,
    multipool,
    multipool_over_monotonic,
    shared_synchronized,
    shared_concurrent,
    fixed_pool,
    small_object_pool,
    adaptive_pool,
    adaptive_pool_aligned,
    static_pool,
    fast_fit,
    heap,
    region_heap,
    class_new,
    fixed_string,
    c_realloc,
    pmr_monotonic,
    pmr_unsynchronized,
    pmr_synchronized,
    boost_pool,
    boost_object_pool,
    boost_fast_pool,
    boost_pmr_monotonic,
    boost_pmr_unsynchronized,
    boost_adaptive_pool,
    boost_node,
    boost_allocator,
    boost_interprocess,
    foonathan_node,
    foonathan_array,
    foonathan_small,
    foonathan_collection,
    foonathan_stack,
    foonathan_temporary,
    loki,
    mimalloc_heap,
};
inline constexpr std::size_t mechanism_count = static_cast<std::size_t>(mechanism_kind::mimalloc_heap) + 1;

/// One of the library's pools beyond the papers' two allocators.
[[nodiscard]] constexpr bool is_other_pool(mechanism_kind kind) noexcept {
    return kind >= mechanism_kind::fixed_pool && kind <= mechanism_kind::fast_fit;
}

/// It begins in a region that somebody has to measure out, and takes nothing beyond.
[[nodiscard]] constexpr bool is_in_a_region(mechanism_kind kind) noexcept {
    return kind == mechanism_kind::region_heap || kind == mechanism_kind::boost_interprocess;
}

/// What a mechanism can do, as far as an experiment asks.
enum class capability : std::uint32_t {
    any_size = 1U << 0,     ///< blocks of any size; without it, of one size that is known when it is made
    containers = 1U << 1,   ///< stands behind any container
    own = 1U << 2,          ///< made for what it serves, and gone with it
    takes_buffer = 1U << 3, ///< begins in a buffer that it is given
    reuses = 1U << 4,       ///< gives out again what was freed
    all_threads = 1U << 5,  ///< one for all threads; a block may be freed by any of them
    bursts = 1U << 6,       ///< gives and takes many blocks of a size at once
};

[[nodiscard]] constexpr capability operator|(capability a, capability b) noexcept {
    return static_cast<capability>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

/// Whether all of `wanted` is in `there`.
[[nodiscard]] constexpr bool has(capability there, capability wanted) noexcept {
    return (there | wanted) == there;
}

/// Where a contender comes from.
enum class library_kind {
    none,
    standard,
    boost_pool,
    boost_container,
    boost_interprocess,
    foonathan,
    loki,
    mimalloc,
};

struct library_row {
    library_kind kind;
    std::string_view name;
    std::string_view package; ///< Debian's
    bool built;               ///< whether it was there when this program was built
    std::string_view why;     ///< it was not
};

struct mechanism_row {
    mechanism_kind kind;
    std::string_view text;
    capability can;
    library_kind library = library_kind::none;
    std::size_t largest_block = SIZE_MAX; ///< of those that are compiled for each size
    std::size_t first_bytes = 96;         ///< about what one takes for its first block of a few words
};

/// The contenders that are compiled for each size of a block are for no larger ones.
inline constexpr std::size_t largest_node_bytes = 64;

[[nodiscard]] const mechanism_row& row_of(mechanism_kind kind) noexcept;

/// Returns: all libraries that contenders come from.
[[nodiscard]] std::span<const library_row> libraries() noexcept;

/// Returns: null where that is none.
[[nodiscard]] const library_row* library_named(library_kind kind) noexcept;

/// Returns: the library of a contender; null where the mechanism is no contender.
[[nodiscard]] const library_row* library_of(mechanism_kind kind) noexcept;

/// Whether this build has the mechanism.
[[nodiscard]] bool is_built(mechanism_kind kind) noexcept;

} // namespace bench
