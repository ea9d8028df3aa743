/// The heap: blocks of any size that grow and shrink where they are, and are merged again when they are freed.
///
///     chunk:   [ next | bytes | seal ][ word | block ][ word | block ] ... [ remainder .. ][ word ]
///     chunk:   [ next | bytes | seal ][ word | block ] ...                                 [ word ]
///     range:   [ ... ][ word | large block ........ | addresses to grow into ....................... ]
///
/// What other local allocators gain by never merging, a heap gives up for three things: memory that was freed
/// serves requests of any size; a block can take the free memory around it, so that a vector grows without being
/// copied; and a block knows its own size. It costs a word a block, and some ten instructions a call.
///
/// Data model: chunks of an upstream, cut into blocks (space/coalescing_space.hpp). Large blocks lie in reserved
/// ranges of addresses (space/reserved_blocks.hpp) where the upstream is the system's memory, and so have room
/// to grow in, as many of them as the process may have ranges; what is more, or comes from any other upstream, lies in
/// chunks too.
/// Invariants: those of its parts; check_sanity() looks at them.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapters 1 and 2;
/// Masmano and others, "TLSF" (2004).
#pragma once

#include <mallard/checking/by_default.hpp>
#include <mallard/chunks/growth.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/space/heap_calls.hpp>
#include <mallard/space/heap_sanity.hpp>
#include <mallard/space/reserved_blocks.hpp>
#include <mallard/space/word_seal.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::inline MALLARD_MODE {

struct heap_options {
    /// Of the chunks; a request that needs more gets a chunk of its own.
    chunk_growth growth{.first_chunk_bytes = 4096, .largest_chunk_bytes = std::size_t{2} << 20, .factor = 4};
};

} // namespace mallard::inline MALLARD_MODE

namespace mallard::unchecked::inline MALLARD_MODE {

/// `Granule` is what sizes are rounded up to, and what blocks lie at multiples of: 16, or 8 where no request is
/// at an alignment of 16 or few are.
///
/// Not thread-safe (adapt/synchronized.hpp); neither copied nor moved, because what it made points to it.
template <upstream Upstream, std::size_t Granule>
class heap : public space::heap_calls<heap<Upstream, Granule>, space::absolute_links, Granule> {
    using calls = space::heap_calls<heap, space::absolute_links, Granule>;
    friend calls;
    friend typename calls::walks;
    using calls::space_;
    using typename calls::space_type;

public:
    /// Blocks of this size and above have a range of their own, where the system is the upstream.
    static constexpr std::size_t least_reserved_bytes = std::size_t{256} << 10;
    static constexpr bool has_reserved_blocks =
        std::is_same_v<Upstream, chunk_cache> || std::is_same_v<Upstream, pages>;

    /// Effects: makes a heap that asks for nothing until its first request.
    explicit heap(heap_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : next_(options.growth) {}

    /// Requires: `source` outlives the heap.
    explicit heap(Upstream& source, heap_options options = {}) noexcept
        : next_(options.growth), upstream_(source) {}

    ~heap() { release(); }

    /// Effects: gives all memory back to the upstream; all blocks are gone.
    /// Requires: what lies over this allocator was released before, or is never used again.
    /// Complexity: linear in the chunks and in the large blocks.
    void release() noexcept {
        space_.clear();
        if constexpr (has_reserved_blocks) {
            reserved_.release();
        }
        while (chunks_ != nullptr) {
            give_back(std::exchange(chunks_, chunks_->next));
        }
        next_.restart();
    }

    /// Effects: gives the chunks back that have no block in use, and the range that waits for the next large block.
    /// Complexity: linear in the chunks.
    void trim() noexcept {
        if constexpr (has_reserved_blocks) {
            reserved_.trim();
        }
        space_.retire_remainder();
        chunk* before = nullptr;
        for (chunk* c = chunks_; c != nullptr;) {
            chunk* const next = c->next;
            if (!space_.remove_room_if_free(c->first(), c->end())) {
                before = c;
            } else {
                if (before == nullptr) {
                    chunks_ = next;
                } else {
                    before->next = next;
                    before->reseal();
                }
                give_back(c);
            }
            c = next;
        }
    }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        allocator_stats sum;
        for (const chunk* c = chunks_; c != nullptr && c->is_sound(); c = c->next) {
            ++sum.chunks;
            sum.chunk_bytes += c->bytes;
        }
        if constexpr (has_reserved_blocks) {
            sum.large_blocks = reserved_.count();
            sum.large_bytes = reserved_.committed_bytes();
        }
        sum.upstream_calls = upstream_calls_;
        return sum;
    }

private:
    /// Chunks for large blocks that no range is left for are no larger, if they can: large blocks may not be touched for
    /// long, and a chunk that lies in huge pages takes memory as soon as its first word is written.
    static constexpr std::size_t most_in_small_pages = std::size_t{960} << 10;

    struct alignas(fundamental_alignment) chunk {
        chunk* next;
        std::size_t bytes;
        std::size_t seal; ///< of the two, so that check_sanity() knows whether to believe them

        [[nodiscard]] bool is_sound() const noexcept { return seal == right_seal(); }
        void reseal() noexcept { seal = right_seal(); }
        [[nodiscard]] std::size_t right_seal() const noexcept {
            return space::seal_words(
                {reinterpret_cast<std::uintptr_t>(this), reinterpret_cast<std::uintptr_t>(next), bytes});
        }

        /// Where the word of its first block is, and that behind the last one.
        [[nodiscard]] std::byte* first() noexcept {
            return reinterpret_cast<std::byte*>(this + 1) - space::heap_block::tag_bytes;
        }
        [[nodiscard]] std::byte* end() noexcept {
            return reinterpret_cast<std::byte*>(this) + bytes - space_type::end_bytes;
        }
    };

    [[gnu::cold, gnu::noinline]] bool add_room_for(std::size_t block_bytes, bool quiet);

    void give_back(chunk* c) noexcept {
        const std::size_t bytes = c->bytes;
        core::unpoison(c, bytes);
        upstream_.get().deallocate(c, bytes, alignof(chunk));
    }

    template <class F>
    bool each_room(F f) const {
        for (chunk* c = chunks_; c != nullptr; c = c->next) {
            if (!f(c->first(), c->end())) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] heap_sanity damaged_metadata() const noexcept {
        for (chunk* c = chunks_; c != nullptr; c = c->next) {
            if (!c->is_sound()) {
                return {"the head of a chunk is damaged", space::heap_block(c->first()).payload()};
            }
        }
        return {};
    }

    [[nodiscard]] std::size_t held_bytes() const noexcept {
        const allocator_stats sum = stats();
        return sum.chunk_bytes + sum.large_bytes;
    }

    struct no_reserved_blocks {};

    chunk* chunks_ = nullptr;
    chunks::next_chunk next_;
    std::uint32_t upstream_calls_ = 0;
    [[no_unique_address]] std::conditional_t<has_reserved_blocks, space::reserved_blocks, no_reserved_blocks>
        reserved_;
    [[no_unique_address]] core::upstream_handle<Upstream> upstream_;
};

/// Effects: takes a chunk as large as it is its turn, or, where the upstream has none, one for the block alone; before
/// it fails, large blocks give up the addresses that they do not need yet.
template <upstream Upstream, std::size_t Granule>
bool heap<Upstream, Granule>::add_room_for(std::size_t block_bytes, bool quiet) {
    const std::size_t least = core::align_up(sizeof(chunk) + block_bytes, alignof(chunk));
    std::size_t chunk_bytes = next_.bytes_for(least);
    if (has_reserved_blocks && block_bytes >= least_reserved_bytes && least <= most_in_small_pages) {
        chunk_bytes = std::min(chunk_bytes, most_in_small_pages);
    }
    const auto ask = [this](std::size_t bytes) {
        return core::ask_quietly(upstream_.get(), bytes, alignof(chunk));
    };
    void* memory = nullptr;
    if (chunk_bytes > least) {
        memory = ask(chunk_bytes);
        chunk_bytes = memory == nullptr ? least : chunk_bytes;
    }
    if (memory == nullptr && (quiet || has_reserved_blocks)) {
        memory = ask(least);
    }
    if constexpr (has_reserved_blocks) {
        if (memory == nullptr && reserved_.make_way(least)) {
            memory = ask(least);
        }
    }
    if (memory == nullptr) {
        if (quiet) {
            return false;
        }
        memory = upstream_.get().allocate(chunk_bytes, alignof(chunk));
    }
    chunks_ = ::new (memory) chunk{chunks_, chunk_bytes, 0};
    chunks_->reseal();
    next_.took(chunk_bytes);
    ++upstream_calls_;
    core::poison(chunks_->first(), chunk_bytes - sizeof(chunk) + space::heap_block::tag_bytes);
    space_.add_room(chunks_->first(),
                    static_cast<std::size_t>(chunks_->end() - chunks_->first()) + space_type::end_bytes);
    return true;
}

} // namespace mallard::unchecked::inline MALLARD_MODE

namespace mallard::inline MALLARD_MODE {

template <upstream Upstream = chunk_cache, std::size_t Granule = fundamental_alignment>
class heap : public checking::by_default<unchecked::heap<Upstream, Granule>> {
    using base = checking::by_default<unchecked::heap<Upstream, Granule>>;

public:
    using base::base;
};

// One for each constructor: a class that inherits its constructors deduces nothing from them.
heap(heap_options = {}) -> heap<>;
template <upstream Upstream>
heap(Upstream&, heap_options = {}) -> heap<Upstream>;

static_assert(local_allocator<heap<>> && burst_allocator<heap<>> && expandable<heap<>>);

} // namespace mallard::inline MALLARD_MODE
