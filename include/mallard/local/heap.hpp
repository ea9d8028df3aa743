/// The heap: for containers that grow in place, and shared memory (local/region_heap.hpp). Where blocks only come and go, a
/// multipool takes less time, and so does a malloc; a shrinking_multipool holds less of sizes that come in waves.
///
/// Blocks have any size, and are merged again when they are freed:
///
///     chunk:   [ next | bytes | seal ][ tag | block ][ tag | block ] ... [ remainder .. ][ tag ]
///     chunk:   [ next | bytes | seal ][ tag | block ] ...                                [ tag ]
///     range:   [ ... ][ tag | large block ........ | addresses to grow into ........................ ]
///
/// Other local allocators are faster because they never merge. A heap gives that up for three things: freed
/// memory serves requests of any size; a block can take the free memory around it, so that a vector grows without
/// a copy; and a block knows its own size. It costs a word a block, and some ten instructions a call. A freed
/// block of up to 4 KiB waits for the next request of its size before it is merged.
///
/// Data model: chunks of an upstream, cut into blocks (impl/space/chunk_rooms.hpp, impl/space/quick_fit.hpp). If the
/// upstream is the system's memory, large blocks lie in reserved ranges of addresses with room to grow
/// (impl/space/reserved_blocks.hpp), as many as the process may have. All other large blocks lie in chunks too.
/// Invariants: those of its parts; check_sanity() verifies them.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapters 1 and 2;
/// Masmano and others, "TLSF" (2004).
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/impl/checking/by_default.hpp>
#include <mallard/impl/chunks/growth.hpp>
#include <mallard/impl/space/chunk_rooms.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_calls.hpp>
#include <mallard/local/fwd.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>

#include <cstddef>
#include <type_traits>

namespace mallard { inline namespace MALLARD_MODE {

struct heap_options {
    /// The sizes of chunks. A request that needs more gets a dedicated chunk.
    chunk_growth growth{.first_chunk_bytes = 4096, .largest_chunk_bytes = std::size_t{2} << 20, .factor = 4};
};

}} // namespace mallard::MALLARD_MODE

namespace mallard::unchecked { inline namespace MALLARD_MODE {

/// Not thread-safe (adapt/synchronized.hpp); neither copied nor moved, because bound containers point to it.
template <upstream Upstream>
class heap : public space::heap_calls<space::chunk_rooms<Upstream, std::is_same_v<Upstream, chunk_cache> ||
                                                                       std::is_same_v<Upstream, pages>>,
                                      space::absolute_links> {
    using calls = typename heap::heap_calls;
    using calls::rooms_;
    using calls::space_;

public:
    using upstream_type = Upstream;

    /// Effects: makes a heap that asks for nothing until its first request: in static storage a constant (constinit).
    explicit constexpr heap(heap_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : calls(options.growth) {}

    /// Requires: `source` outlives the heap.
    explicit constexpr heap(core::upstream_argument<Upstream> source, heap_options options = {}) noexcept
        : calls(source, options.growth) {}

    ~heap() { release(); }

    /// Effects: returns all memory to the upstream, and invalidates all blocks.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: linear in the chunks and in the large blocks.
    void release() noexcept {
        space_.clear();
        rooms_.release();
    }

    /// Effects: gives back the chunks without a block in use, and the spare range for large blocks.
    /// Complexity: linear in the chunks.
    void trim() noexcept {
        space_.settle();
        space_.retire_remainder();
        rooms_.trim(space_);
    }

    /// Effects: trims the heap, and orders its free blocks: requests take them in the order of addresses from now on, so that
    /// what is built next lies together.
    /// Complexity: n log n in the free blocks, each of which is read; for a moment when the program can wait.
    void tidy() noexcept {
        trim();
        space_.sort_free_blocks();
    }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept { return rooms_.stats(); }
};

}} // namespace mallard::unchecked::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <upstream Upstream>
class heap : public checking::by_default<unchecked::heap<Upstream>> {
    using base = checking::by_default<unchecked::heap<Upstream>>;

public:
    using upstream_type = Upstream;

    static constexpr std::size_t granule_bytes = unchecked::heap<Upstream>::granule_bytes;

    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr heap() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...> && (!std::is_constructible_v<base, First, Args...>)
    heap(First&&, Args&&...) = delete; // it takes an upstream, and sizes in heap_options

    template <core::foreign_upstream<heap> Source, class... Args>
        requires(!std::is_constructible_v<base, Source&, Args...>)
    heap(Source&, Args&&...) = delete; // its type names the upstream: omit the <>

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // std::pmr takes the address of a mallard::resource
};

// One for each constructor, because nothing is deduced from inherited constructors.
heap(heap_options = {}) -> heap<>;
template <upstream Upstream>
heap(Upstream&, heap_options = {}) -> heap<Upstream>;
template <upstream_reference Reference>
heap(const Reference&, heap_options = {}) -> heap<Reference>;

static_assert(local_allocator<heap<>> && burst_allocator<heap<>> && expandable<heap<>>);

}} // namespace mallard::MALLARD_MODE
