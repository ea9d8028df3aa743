/// The monotonic allocator: it hands out memory from the front of a region to its end, and takes no block back.
///
///     initial buffer (optional)      chunk                    chunk in use
///     [ blocks .............. ]      [h| blocks ....... ]     [h| blocks .. | free ........ ]
///                                                                           ^ cursor        ^ limit
///
/// Data model: `chunks_` are the chunks in use, newest first. `kept_` are the chunks left over by a rewind or a
/// rollback, which are reused before the upstream is asked. `front_` holds the cursor and the limit
/// (chunks/region_front.hpp). Deallocated blocks are poisoned under AddressSanitizer.
///
/// Source: P0089R1, section 3; P0213R0, section 5.
#pragma once

#include <mallard/checking/by_default.hpp>
#include <mallard/chunks/chunk_list.hpp>
#include <mallard/chunks/growth.hpp>
#include <mallard/chunks/region_front.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::inline MALLARD_MODE {

struct monotonic_options {
    chunk_growth growth;
};

} // namespace mallard::inline MALLARD_MODE

namespace mallard::unchecked::inline MALLARD_MODE {

/// Not thread-safe; neither copied nor moved, because bound containers point to it.
template <upstream Upstream>
class monotonic {
public:
    /// A point in the allocator's life, to roll back to. Valid until the allocator is released, rewound, or
    /// rolled back to an earlier mark.
    struct position {
        chunks::chunk* top;
        std::byte* cursor;
    };

    /// Effects: makes an allocator that asks for nothing until its first request.
    monotonic() noexcept
        requires stateless_upstream<Upstream>
        : monotonic(std::span<std::byte>{}) {}

    explicit monotonic(monotonic_options options) noexcept
        requires stateless_upstream<Upstream>
        : monotonic(std::span<std::byte>{}, options) {}

    /// Effects: makes an allocator that serves requests from `buffer` until it is full. If the buffer does not
    /// begin and end at multiples of fundamental_alignment, its first and last few bytes are not used.
    /// Requires: `buffer` outlives the allocator and has no other use.
    explicit monotonic(std::span<std::byte> buffer, monotonic_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : upstream_(), buffer_(buffer), next_(options.growth) {
        start();
    }

    /// Requires: `source` outlives the allocator.
    explicit monotonic(Upstream& source, monotonic_options options = {}) noexcept
        : monotonic(std::span<std::byte>{}, source, options) {}

    monotonic(std::span<std::byte> buffer, Upstream& source, monotonic_options options = {}) noexcept
        : upstream_(source), buffer_(buffer), next_(options.growth) {
        start();
    }

    monotonic(const monotonic&) = delete;
    monotonic& operator=(const monotonic&) = delete;

    /// Effects: gives all chunks back to the upstream. The initial buffer is the caller's again.
    ~monotonic() {
        release();
        core::unpoison(buffer_.data(), buffer_.size());
    }

    /// Returns: `bytes` bytes at a multiple of `alignment`. Zero bytes get a block of one.
    /// Throws: std::bad_alloc, or the upstream's exceptions; the allocator is unchanged then.
    /// Complexity: constant, apart from calls upstream when the region is full.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (alignment <= fundamental_alignment) [[likely]] {
            if (void* block = front_.allocate(bytes, alignment)) [[likely]] {
                return block;
            }
        }
        return allocate_slowly(bytes, alignment);
    }

    /// Effects: the block must not be used any more. Its memory comes back with the region.
    void deallocate(void* p, std::size_t bytes, std::size_t = fundamental_alignment) noexcept {
        chunks::region_front::deallocate(p, bytes);
    }

    /// Effects: moves the end of the block `p` of `old_bytes` bytes to `new_bytes`: to grow it, to shrink it, or
    /// with 0 to give it back. Only the most recent allocation can be resized.
    /// Requires: no mark that will be rolled back to was taken since the block was allocated; the rollback would
    /// cut the block off at the mark.
    /// Returns: true if it was resized.
    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept {
        auto* block = static_cast<std::byte*>(p);
        const auto room_bytes = static_cast<std::size_t>(front_.limit() - block);
        if (block + core::align_up(std::max<std::size_t>(old_bytes, 1), granule) != front_.cursor() ||
            new_bytes > room_bytes) {
            return false;
        }
        front_.set_cursor(block + core::align_up(new_bytes, granule));
        core::poison(block, room_bytes);
        core::unpoison(block, new_bytes);
        return true;
    }

    /// Effects: gives all chunks back to the upstream; all blocks are gone.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: linear in the chunks.
    void release() noexcept {
        chunks_.release(upstream_.get());
        kept_.release(upstream_.get());
        high_water_bytes_ = 0;
        next_.restart();
        start();
    }

    /// Effects: forgets all blocks and keeps the chunks for the next use, as many as recent uses needed. The mark
    /// that decides falls by an eighth with every rewind below it. A chunk much larger than the mark is not kept.
    /// Requires: allocators over this one were released before, or are never used again.
    void rewind() noexcept;

    /// Returns: the present point in the allocator's life.
    [[nodiscard]] position mark() const noexcept { return {chunks_.front(), front_.cursor()}; }

    /// Effects: forgets every block that was allocated since `to` was taken, and keeps their chunks.
    /// Requires: `to` is valid, and allocators over this one have taken no chunk since that they will use again.
    void rollback(position to) noexcept;

    /// Returns: the words of the fast path, for bindings that take it themselves.
    [[nodiscard]] chunks::region_front& front() noexcept { return front_; }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        allocator_stats s;
        s.chunks = chunks_.count() + kept_.count();
        s.chunk_bytes = chunks_.bytes() + kept_.bytes();
        s.spills = buffer_.empty() ? 0 : upstream_calls_;
        s.upstream_calls = upstream_calls_;
        return s;
    }

private:
    /// Effects: makes the whole initial buffer the region, or no region if there is no such buffer.
    void start() noexcept {
        enter_buffer();
        core::poison(buffer_.data(), buffer_.size());
    }

    void enter_buffer() noexcept {
        const std::size_t head = core::padding_to(buffer_.data(), fundamental_alignment);
        const bool usable = buffer_.size() > head;
        std::byte* const begin = usable ? buffer_.data() + head : nullptr;
        const std::size_t bytes = core::align_down(buffer_.size() - head, fundamental_alignment);
        front_.set_room(begin, usable ? begin + bytes : nullptr);
    }

    void enter(chunks::chunk* c) noexcept { front_.set_room(c->begin(), c->end()); }

    void keep(chunks::chunk* c) noexcept {
        core::poison(c->begin(), c->bytes - sizeof(chunks::chunk));
        kept_.insert_by_size(c);
    }

    /// Effects: makes a chunk with room for `bytes` the region: one that was kept, or a new one.
    void next_region(std::size_t bytes);

    [[gnu::cold, gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment);

    static constexpr std::size_t granule = chunks::region_front::granule;

    [[no_unique_address]] core::upstream_handle<Upstream> upstream_;
    chunks::region_front front_;
    chunks::chunk_list chunks_;
    chunks::chunk_list kept_;
    std::span<std::byte> buffer_;
    std::size_t high_water_bytes_ = 0;
    std::uint32_t upstream_calls_ = 0;
    chunks::next_chunk next_;
};

template <upstream Upstream>
void monotonic<Upstream>::rollback(position to) noexcept {
    if (chunks_.front() != to.top) {
        while (chunks_.front() != to.top) {
            keep(chunks_.pop());
        }
        if (to.top != nullptr) {
            enter(to.top);
        } else {
            enter_buffer();
        }
    }
    front_.set_cursor(to.cursor);
    core::poison(front_.cursor(), front_.free_bytes());
}

template <upstream Upstream>
void monotonic<Upstream>::rewind() noexcept {
    // Of the chunk in use only the used part counts. Otherwise a chunk that is too large would stay for ever.
    const std::size_t unused_bytes = chunks_.front() != nullptr ? front_.free_bytes() : 0;
    const std::size_t used_bytes = chunks_.bytes() - unused_bytes;
    while (chunks_.front() != nullptr) {
        keep(chunks_.pop());
    }
    high_water_bytes_ = std::max(used_bytes, high_water_bytes_ - (high_water_bytes_ + 7) / 8);
    kept_.trim(upstream_.get(), high_water_bytes_, 4 * std::max(high_water_bytes_, next_.first_bytes()));
    next_.restart(high_water_bytes_);
    start();
}

template <upstream Upstream>
void monotonic<Upstream>::next_region(std::size_t bytes) {
    if (chunks::chunk* kept = kept_.take_with_room(bytes)) {
        chunks_.push(kept);
        enter(kept);
        return;
    }
    chunks::chunk* added = chunks_.grow(upstream_.get(), next_.bytes_for(bytes + sizeof(chunks::chunk)));
    next_.took(added->bytes);
    ++upstream_calls_;
    enter(added);
}

template <upstream Upstream>
void* monotonic<Upstream>::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    bytes = std::max<std::size_t>(bytes, 1);
    // A chunk begins at the fundamental alignment; a stricter one may cost padding.
    const std::size_t slack = alignment > fundamental_alignment ? alignment : 0;
    constexpr std::size_t most_bytes = static_cast<std::size_t>(PTRDIFF_MAX) - 2 * sizeof(chunks::chunk);
    if (bytes > most_bytes || slack > most_bytes - bytes) {
        core::fail_allocation(bytes, alignment);
    }
    std::size_t padding = core::padding_to(front_.cursor(), alignment);
    if (bytes + padding > front_.free_bytes()) {
        next_region(core::align_up(bytes + slack, fundamental_alignment));
        padding = core::padding_to(front_.cursor(), alignment);
    }
    std::byte* block = front_.cursor() + padding;
    front_.set_cursor(block + core::align_up(bytes, granule));
    core::unpoison(block, bytes);
    return block;
}

} // namespace mallard::unchecked::inline MALLARD_MODE

namespace mallard::inline MALLARD_MODE {

template <upstream Upstream = chunk_cache>
class monotonic : public checking::by_default<unchecked::monotonic<Upstream>> {
    using base = checking::by_default<unchecked::monotonic<Upstream>>;

public:
    using position = decltype(std::declval<const base&>().mark());
    using front_owner = monotonic; // (core/concepts.hpp)
    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr monotonic() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}
};

// One for each constructor, because nothing is deduced from inherited constructors.
monotonic(monotonic_options) -> monotonic<>;
monotonic(std::span<std::byte>, monotonic_options = {}) -> monotonic<>;
template <upstream Upstream>
monotonic(Upstream&, monotonic_options = {}) -> monotonic<Upstream>;
template <upstream Upstream>
monotonic(std::span<std::byte>, Upstream&, monotonic_options = {}) -> monotonic<Upstream>;

static_assert(rewindable<monotonic<>>);

} // namespace mallard::inline MALLARD_MODE
