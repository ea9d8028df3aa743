/// The monotonic allocator: it hands out memory from the front of a region to its end, and takes no block back.
///
///     initial buffer (optional)   chunk                 chunk of a large block   the region
///     [ blocks ........... ]      [h| blocks ... ]      [h| block ]              [h| blocks .. | free ........ ]
///                                                                                              ^ cursor        ^ limit
///
/// Data model: `chunks_` are the chunks in use, newest first, `used_bytes_` in all. `kept_` are the chunks left over
/// by a rewind or a rollback, which are reused before the upstream is asked. `front_` holds the cursor and the limit
/// of the region: the rest of the buffer or of a chunk, not always the newest one (impl/chunks/region_front.hpp).
/// Deallocated blocks are poisoned under AddressSanitizer.
///
///     mallard::monotonic<> arena;                          // the first chunk has the size of the options
///     mallard::monotonic<> large(1 << 20);                 // one with room for 1 MiB: its header is not part of it
///     mallard::monotonic<> local(buffer, sizeof(buffer));  // an initial buffer, then chunks
///     arena.adopt(large);                                  // what lives in `large` lives as long as `arena` now
///
/// A request that does not fit takes a chunk. Of two rests, of the region and of that chunk, the larger one is the
/// region from then on. The chunk has room for later blocks too if the smaller rest is small then; otherwise it has
/// room for this block alone, and the region stays.
///
/// Bound: once chunks have the largest size, rests that are lost are at most a sixteenth of the memory in use. Kept
/// chunks hold at most what recent uses needed, and less than one chunk more.
///
/// Source: P0089R1, section 3; P0213R0, section 5.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/prefault.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/checking/by_default.hpp>
#include <mallard/impl/chunks/chunk_list.hpp>
#include <mallard/impl/chunks/chunk_tree.hpp>
#include <mallard/impl/chunks/growth.hpp>
#include <mallard/impl/chunks/region_front.hpp>
#include <mallard/local/fwd.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

struct monotonic_options {
    chunk_growth growth;
};

}} // namespace mallard::MALLARD_MODE

namespace mallard::unchecked { inline namespace MALLARD_MODE {

/// Not thread-safe; neither copied nor moved, because bound containers point to it.
template <upstream Upstream>
class monotonic {
public:
    using upstream_type = Upstream;

    /// A point in the allocator's life, to roll back to. Valid until the allocator is released, rewound, or
    /// rolled back to an earlier mark.
    struct position {
        chunks::chunk* top;
        std::byte* cursor;
        std::byte* limit;
    };

    /// Effects: makes an allocator that asks for nothing until its first request: in static storage a constant (constinit).
    constexpr monotonic() noexcept
        requires stateless_upstream<Upstream>
        : monotonic(monotonic_options{}) {}

    explicit constexpr monotonic(monotonic_options options) noexcept
        requires stateless_upstream<Upstream>
        : monotonic(beginning{}, core::upstream_handle<Upstream>(), options.growth) {}

    /// Effects: makes an allocator that serves requests from `buffer` until it is full. If the buffer does not
    /// begin and end at multiples of fundamental_alignment, its first and last few bytes are not used.
    /// Not a constant, because addresses are numbers at run time only.
    /// Requires: `buffer` outlives the allocator and has no other use.
    explicit monotonic(std::span<std::byte> buffer, monotonic_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : monotonic(usable_part(buffer), core::upstream_handle<Upstream>(), options.growth) {}

    /// Effects: the same for the `bytes` bytes at `buffer`.
    monotonic(void* buffer, std::size_t bytes, monotonic_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : monotonic(std::span(static_cast<std::byte*>(buffer), bytes), options) {}

    /// Effects: makes an allocator whose first chunk, taken by the first request, has room for blocks of `initial_bytes`
    /// bytes. 0 leaves the size to the options, which decide about later chunks; none is smaller than `initial_bytes`,
    /// unless that exceeds the largest chunk.
    /// Requires: `initial_bytes` is at most PTRDIFF_MAX, as no negative number is.
    explicit constexpr monotonic(std::size_t initial_bytes, monotonic_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : monotonic(first_room(initial_bytes), core::upstream_handle<Upstream>(),
                    growth_from(initial_bytes, options)) {}

    /// Requires: `source` outlives the allocator. So with the constructors below.
    explicit constexpr monotonic(core::upstream_argument<Upstream> source,
                                 monotonic_options options = {}) noexcept
        : monotonic(beginning{}, core::upstream_handle<Upstream>(source), options.growth) {}

    monotonic(std::span<std::byte> buffer, core::upstream_argument<Upstream> source,
              monotonic_options options = {}) noexcept
        : monotonic(usable_part(buffer), core::upstream_handle<Upstream>(source), options.growth) {}

    monotonic(void* buffer, std::size_t bytes, core::upstream_argument<Upstream> source,
              monotonic_options options = {}) noexcept
        : monotonic(std::span(static_cast<std::byte*>(buffer), bytes), source, options) {}

    constexpr monotonic(std::size_t initial_bytes, core::upstream_argument<Upstream> source,
                        monotonic_options options = {}) noexcept
        : monotonic(first_room(initial_bytes), core::upstream_handle<Upstream>(source),
                    growth_from(initial_bytes, options)) {}

    monotonic(const monotonic&) = delete;
    monotonic& operator=(const monotonic&) = delete;

    /// Effects: gives all chunks back to the upstream. The initial buffer is the caller's again.
    ~monotonic() {
        release();
        core::unpoison(buffer_, buffer_bytes());
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
        return allocate_slowly<false>(bytes, alignment);
    }

    /// Returns: the result of allocate(); null, with no effect, if there is no memory (nothrow_upstream).
    /// Complexity: constant, apart from calls upstream when the region is full.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (alignment <= fundamental_alignment) [[likely]] {
            if (void* block = front_.allocate(bytes, alignment)) [[likely]] {
                return block;
            }
        }
        return allocate_slowly<true>(bytes, alignment);
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
        chunks::chunk* const top = chunks_.front();
        if (top != nullptr && top->end() != front_.limit() && core::lies_in({top->begin(), top->end()}, p)) {
            return has_adopted_ == 0 && resize_alone(static_cast<std::byte*>(p), new_bytes);
        }
        return front_.resize_last(p, old_bytes, new_bytes);
    }

    /// Effects: makes sure that the region has `bytes` free bytes, and touches their pages: requests for fewer, each rounded up
    /// to a multiple of 8 and of its alignment, need no call upstream and no new page. A region that is too short is replaced,
    /// and its rest is lost until a rewind() or a rollback(). These keep what was used, not what was reserved.
    /// Throws: the exceptions of allocate(); the allocator is unchanged then.
    /// Complexity: linear in the pages, apart from calls upstream.
    void reserve(std::size_t bytes) {
        core::warn_if_negative(bytes);
        if (bytes > front_.free_bytes()) {
            take_room(bytes);
        }
        core::prefault(front_.cursor(), bytes);
    }

    /// Effects: takes over the blocks of `other`, which stay where they are, with their chunks. They live on as if they were
    /// allocated here now: until a release, a rewind, or a rollback to a mark that was taken before. `other` is left without
    /// blocks, its marks are invalid, and its next request takes a chunk. Of the two regions the one with more free bytes goes
    /// on; the rest of the other one is lost until that end.
    /// Requires: what is bound to `other` and has blocks, such as a container, makes no call of it any more. A pool over `other`
    /// is never used again.
    /// Returns: true; false, with no effect, if the two have different upstreams, to which chunks could not go back, or `other`
    /// has an initial buffer, which is its caller's.
    /// Complexity: linear in the chunks of `other`.
    /// Source: the fused arenas of upb.
    [[nodiscard]] bool adopt(monotonic& other) noexcept {
        if (this == &other) {
            return true;
        }
        if (other.buffer_ != nullptr || !upstream_.refers_to_same(other.upstream_)) {
            return false;
        }
        if (other.chunks_.front() != nullptr) {
            chunks_.splice(other.chunks_);
            used_bytes_ += std::exchange(other.used_bytes_, 0);
            if (other.front_.free_bytes() > front_.free_bytes()) {
                front_.set_room(other.front_.cursor(), other.front_.limit());
            }
            has_adopted_ = 1;
            other.has_adopted_ = 0;
            other.next_.restart();
            other.start();
        }
        return true;
    }

    /// Effects: returns all chunks to the upstream, and invalidates all blocks.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: linear in the chunks.
    void release() noexcept {
        chunks_.release(upstream_.get());
        kept_.release(upstream_.get());
        has_adopted_ = 0;
        used_bytes_ = 0;
        high_water_bytes_ = 0;
        next_.restart();
        start();
    }

    /// Effects: forgets all blocks and keeps the chunks for the next use, as many as recent uses needed: up to
    /// their high-water mark, which falls by an eighth with every rewind below it. A chunk much larger than that is not kept.
    /// An upstream of few bytes, such as a buffer, lacks what is kept: a later request that fits into no kept chunk may fail
    /// although no block is in use. Then tidy() returns the kept chunks; a failed request does not, as it has no effect.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: linear in the chunks, apart from a logarithm.
    void rewind() noexcept {
        return_to({nullptr, buffer_, buffer_limit()});
        has_adopted_ = 0;
        core::poison(buffer_, buffer_bytes());
    }

    /// Effects: returns the chunks that wait for the next use to the upstream, and the free end of the region to the system, if
    /// the upstream can discard() it: for what was built and lives on. An initial buffer is left alone.
    /// Complexity: linear in the chunks that wait.
    void tidy() noexcept {
        kept_.release(upstream_.get());
        if (front_.limit() != buffer_limit()) {
            core::discard(upstream_.get(), front_.cursor(), front_.free_bytes());
        }
    }

    /// Returns: the present point in the allocator's life.
    [[nodiscard]] position mark() const noexcept {
        return {chunks_.front(), front_.cursor(), front_.limit()};
    }

    /// Effects: forgets every block that was allocated since `to` was taken. If there are chunks among them, keeps
    /// as many as recent uses needed, as rewind() does.
    /// Requires: `to` is valid, and allocators over this one have taken no chunk since that they will use again.
    /// Complexity: constant, and linear in the chunks that are left, apart from a logarithm.
    void rollback(position to) noexcept {
        if (chunks_.front() == to.top) [[likely]] {
            front_.set_cursor(to.cursor); // the region changes with a new chunk only
        } else {
            return_to(to);
        }
        core::poison(front_.cursor(), front_.free_bytes());
    }

    /// Returns: the words of the fast path, for bindings that take it themselves.
    [[nodiscard]] chunks::region_front& front() noexcept { return front_; }

    /// Returns: the bytes of the initial buffer and of the chunks in use without the free part of the region: the blocks,
    /// deallocated or not, with their padding, headers and lost rests. 0 after release() and rewind().
    /// Complexity: constant.
    [[nodiscard]] std::size_t bytes_in_use() const noexcept {
        return buffer_bytes() + used_bytes_ - front_.free_bytes();
    }

    /// Returns: the bytes of the region that are free: what the next request may have before the upstream is asked.
    /// Complexity: constant.
    [[nodiscard]] std::size_t bytes_left() const noexcept { return front_.free_bytes(); }

    /// Returns: true if `p` lies in the initial buffer or in a chunk in use, in a block or free.
    /// Complexity: linear in the chunks.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        return core::lies_in({buffer_, buffer_bytes()}, p) || chunks_.owns(p);
    }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        allocator_stats s;
        s.chunks = chunks_.count() + kept_.count();
        s.chunk_bytes = chunks_.bytes() + kept_.bytes();
        s.spills = buffer_ == nullptr ? 0 : upstream_calls_;
        s.upstream_calls = upstream_calls_;
        return s;
    }

private:
    /// An initial buffer, or the room of the first chunk.
    struct beginning {
        std::byte* buffer = nullptr;
        std::size_t bytes = 0;
    };

    constexpr monotonic(beginning first, const core::upstream_handle<Upstream>& source,
                        chunk_growth growth) noexcept
        : upstream_(source), buffer_(first.buffer), first_bytes_(first.bytes), next_(growth) {
        start();
    }

    [[nodiscard]] static constexpr beginning first_room(std::size_t bytes) noexcept {
        core::warn_if_negative(bytes);
        MALLARD_EXPECTS(bytes <= PTRDIFF_MAX);
        return {.bytes =
                    core::align_up(core::min(bytes, chunks::next_chunk::most_bytes), fundamental_alignment)};
    }

    [[nodiscard]] static constexpr chunk_growth growth_from(std::size_t initial_bytes,
                                                            monotonic_options options) noexcept {
        options.growth.first_chunk_bytes =
            initial_bytes != 0 ? initial_bytes : options.growth.first_chunk_bytes;
        return options.growth;
    }

    /// Effects: makes the whole initial buffer the region, or no region if there is no such buffer.
    constexpr void start() noexcept {
        front_.set_room(buffer_, buffer_limit());
        if (buffer_ != nullptr) {
            core::poison(buffer_, buffer_bytes());
        }
    }

    /// Returns: the part that begins and ends at multiples of fundamental_alignment.
    [[nodiscard]] static beginning usable_part(std::span<std::byte> buffer) noexcept {
        core::warn_if_negative(buffer.size());
        MALLARD_EXPECTS(buffer.size() <= PTRDIFF_MAX);
        const std::size_t head = core::padding_to(buffer.data(), fundamental_alignment);
        if (buffer.size() < head + fundamental_alignment) {
            return {};
        }
        return {buffer.data() + head, core::align_down(buffer.size() - head, fundamental_alignment)};
    }

    [[nodiscard]] constexpr std::size_t buffer_bytes() const noexcept {
        return buffer_ != nullptr ? first_bytes_ : 0;
    }
    [[nodiscard]] constexpr std::byte* buffer_limit() const noexcept { return buffer_ + buffer_bytes(); }

    /// Returns: the bytes of the chunks in use without the free part of the region.
    [[nodiscard]] std::size_t chunk_bytes_in_use() const noexcept {
        return used_bytes_ - (front_.limit() == buffer_limit() ? 0 : front_.free_bytes());
    }

    /// Effects: goes back to `to`, and keeps of all chunks in excess those that recent uses needed.
    [[gnu::noinline]] void return_to(position to) noexcept;

    /// Effects: resizes the block that has the newest chunk to itself.
    [[gnu::cold, gnu::noinline]] bool resize_alone(std::byte* block, std::size_t new_bytes) noexcept;

    template <bool Quiet>
    [[gnu::cold, gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment);

    /// Effects: makes a chunk the region that has room for `bytes`.
    [[gnu::cold, gnu::noinline]] void take_room(std::size_t bytes);

    /// Effects: takes a chunk, kept or new, of at least `least_bytes`, and puts it in front of the others.
    /// Returns: the chunk; null, with no effect, if the upstream has none and `Quiet` is true.
    /// Throws: the upstream's exceptions; nothing has changed then.
    template <bool Quiet>
    [[gnu::always_inline]] chunks::chunk* take_chunk(std::size_t least_bytes);

    /// Returns: the block at `begin`, cut off the front of the region.
    void* cut(std::byte* begin, std::size_t bytes) noexcept {
        front_.set_cursor(begin + core::align_up(bytes, granule));
        core::unpoison(begin, bytes);
        return begin;
    }

    static constexpr std::size_t granule = chunks::region_front::granule;
    /// Of a chunk around a block, with what rounding it up may add.
    static constexpr std::size_t overhead = sizeof(chunks::chunk) + fundamental_alignment - 1;

    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<Upstream> upstream_;
    chunks::region_front front_;
    chunks::chunk_list chunks_;
    chunks::chunk_tree kept_;
    std::byte* buffer_; ///< null if there is none
    std::size_t
        first_bytes_; ///< of the buffer; without one, of the first chunk's room, 0 for that of the growth
    std::size_t used_bytes_ = 0;
    std::size_t high_water_bytes_ = 0;
    std::uint32_t upstream_calls_ : 31 = 0;
    std::uint32_t has_adopted_ : 1 = 0; ///< the newest chunk may have several blocks, and not be the region's
    chunks::next_chunk next_;
};

template <upstream Upstream>
void monotonic<Upstream>::return_to(position to) noexcept {
    // Of the region only the used part counts. Otherwise a chunk that is too large would stay for ever.
    const std::size_t peak_bytes = chunk_bytes_in_use();
    std::size_t chunk_bytes = 0;
    while (chunks_.front() != to.top) {
        MALLARD_EXPECTS(chunks_.front() != nullptr); // `to` is not valid any more
        chunk_bytes += chunks_.front()->bytes;
        kept_.insert(chunks_.pop());
    }
    used_bytes_ -= chunk_bytes;
    front_.set_room(to.cursor, to.limit);
    const std::size_t live_bytes = chunk_bytes_in_use();
    if (kept_.bytes() == chunk_bytes && chunk_bytes / 2 <= peak_bytes - live_bytes) {
        // All that is kept was needed just now, as in a loop whose iterations are alike.
        high_water_bytes_ = core::max(peak_bytes, high_water_bytes_);
        return;
    }
    high_water_bytes_ = core::max(peak_bytes, high_water_bytes_ - (high_water_bytes_ + 7) / 8);
    kept_.trim(upstream_.get(), high_water_bytes_ - live_bytes,
               4 * core::max(core::max(high_water_bytes_, next_.first_bytes()), first_bytes_));
    next_.restart(high_water_bytes_);
}

template <upstream Upstream>
bool monotonic<Upstream>::resize_alone(std::byte* block, std::size_t new_bytes) noexcept {
    chunks::chunk* const alone = chunks_.front();
    const auto room_bytes = static_cast<std::size_t>(alone->end() - block);
    if (new_bytes > room_bytes) {
        return false;
    }
    if (new_bytes == 0) {
        return_to({alone->next, front_.cursor(), front_.limit()});
        return true;
    }
    core::poison(block, room_bytes);
    core::unpoison(block, new_bytes);
    std::byte* const end = block + core::align_up(new_bytes, granule);
    if (static_cast<std::size_t>(alone->end() - end) > front_.free_bytes()) {
        front_.set_room(end, alone->end());
    }
    return true;
}

template <upstream Upstream>
template <bool Quiet>
inline chunks::chunk* monotonic<Upstream>::take_chunk(std::size_t least_bytes) {
    std::size_t bytes = next_.bytes_for(least_bytes);
    std::size_t smallest_bytes = least_bytes;
    if (chunks_.front() == nullptr && buffer_ == nullptr && first_bytes_ != 0) {
        bytes = smallest_bytes = core::max(least_bytes, sizeof(chunks::chunk) + first_bytes_);
    }
    // As long as chunks grow, a request that fits the next one takes that, so that few chunks are taken in all.
    if (front_.free_bytes() > bytes / 16 && (bytes > next_.bytes() || bytes == next_.largest_bytes())) {
        bytes = least_bytes;
    }
    chunks::chunk* taken = kept_.take(least_bytes, bytes);
    if (taken != nullptr) {
        chunks_.push(taken);
    } else {
        taken = chunks::take_chunk<Quiet>(
            upstream_, bytes, smallest_bytes,
            [this](auto&& source, std::size_t size) { return chunks_.grow(source, size); });
        if (Quiet && taken == nullptr) {
            return nullptr;
        }
        // A block with a dedicated chunk implies nothing about the size of the next one.
        next_.took(bytes == least_bytes ? next_.bytes() : bytes, least_bytes);
        ++upstream_calls_;
    }
    used_bytes_ += taken->bytes;
    return taken;
}

template <upstream Upstream>
template <bool Quiet>
void* monotonic<Upstream>::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    bytes = core::max<std::size_t>(bytes, 1);
    const std::size_t padding = core::padding_to(front_.cursor(), alignment);
    const std::size_t free_bytes = front_.free_bytes();
    if (padding <= free_bytes && bytes <= free_bytes - padding) {
        return cut(front_.cursor() + padding, bytes);
    }
    // A chunk begins at the fundamental alignment; a stricter one may cost padding.
    const std::size_t most_padding =
        alignment > fundamental_alignment ? alignment - fundamental_alignment : 0;
    if (bytes > SIZE_MAX - overhead - most_padding) {
        if constexpr (Quiet) {
            return nullptr;
        } else {
            core::fail_as_upstream(upstream_.get(), bytes, alignment);
        }
    }
    chunks::chunk* const taken =
        take_chunk<Quiet>(core::align_down(bytes + most_padding + overhead, fundamental_alignment));
    if (Quiet && taken == nullptr) {
        return nullptr;
    }
    std::byte* const block = taken->begin() + core::padding_to(taken->begin(), alignment);
    std::byte* const end = block + core::align_up(bytes, granule);
    if (static_cast<std::size_t>(taken->end() - end) >= free_bytes) {
        front_.set_room(block, taken->end());
        return cut(block, bytes);
    }
    core::unpoison(block, bytes);
    return block;
}

template <upstream Upstream>
void monotonic<Upstream>::take_room(std::size_t bytes) {
    if (bytes > SIZE_MAX - overhead) {
        core::fail_as_upstream(upstream_.get(), bytes, fundamental_alignment);
    }
    chunks::chunk* const taken = take_chunk<false>(core::align_down(bytes + overhead, fundamental_alignment));
    front_.set_room(taken->begin(), taken->end());
}

}} // namespace mallard::unchecked::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <upstream Upstream>
class monotonic : public checking::by_default<unchecked::monotonic<Upstream>> {
    using base = checking::by_default<unchecked::monotonic<Upstream>>;

public:
    using position = decltype(std::declval<const base&>().mark());
    using front_owner = monotonic; // (core/concepts.hpp)
    using upstream_type = Upstream;
    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr monotonic() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...> && (!std::is_constructible_v<base, First, Args...>)
    monotonic(First&&, Args&&...) = delete; // it takes a std::span<std::byte>, or a pointer and a size

    template <core::foreign_upstream<monotonic> Source, class... Args>
        requires(!std::is_constructible_v<base, Source&, Args...>)
    monotonic(Source&, Args&&...) = delete; // its type names the upstream: omit the <>

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // std::pmr takes the address of a mallard::resource
};

// One for each constructor, because nothing is deduced from inherited constructors.
monotonic(monotonic_options) -> monotonic<>;
monotonic(std::span<std::byte>, monotonic_options = {}) -> monotonic<>;
monotonic(void*, std::size_t, monotonic_options = {}) -> monotonic<>;
monotonic(std::size_t, monotonic_options = {}) -> monotonic<>;
template <upstream Upstream>
monotonic(Upstream&, monotonic_options = {}) -> monotonic<Upstream>;
template <upstream Upstream>
monotonic(std::span<std::byte>, Upstream&, monotonic_options = {}) -> monotonic<Upstream>;
template <class T, std::integral Size, upstream Upstream> // exact matches, as the deleted constructor is
monotonic(T*, Size, Upstream&, monotonic_options = {}) -> monotonic<Upstream>;
template <std::integral Size, upstream Upstream>
monotonic(Size, Upstream&, monotonic_options = {}) -> monotonic<Upstream>;
template <upstream_reference Reference>
monotonic(const Reference&, monotonic_options = {}) -> monotonic<Reference>;

static_assert(rewindable<monotonic<>>);

}} // namespace mallard::MALLARD_MODE
