/// The multipool: blocks of many sizes from shared chunks, reused by size class.
///
///     chunk:  [h| 24 | 24 | 520 | 24 | ... | free ............ ]     blocks in the order of the requests
///                                          ^ cursor            ^ limit
///     front_:  the cursor, the limit, and the free blocks of each size class (reuse/pool_front.hpp)
///
/// Data model: a pool for each size class, which all carve from one chunk, so that blocks that are requested
/// together lie together, and an allocator of a few blocks needs one small chunk. No block has a header:
/// deallocate() receives the size. Requests above the largest pooled size go straight upstream; release() returns
/// them too. The rest of a chunk that is too short for a request becomes free blocks.
///
/// `Reuse` chooses the next free block of a class (reuse/order.hpp). `Classes` are the block sizes
/// (reuse/size_classes.hpp).
///
/// Bound: each class keeps the most that it ever had, until a release. Sizes that come in waves, each freed
/// before the next comes, leave a pool that holds up to the sum of all waves: 81 times the live bytes in the
/// worst case that docs/benchmark/pools.md computes. For such a load use shrinking_multipool, or release between the waves.
///
/// A shrinking_multipool looks for chunks in which every block is free before it takes another one, and gives them back. Free
/// blocks that lie side by side become one, which serves requests of other sizes (reuse/empty_chunks.hpp). Allocations and
/// deallocations that need no chunk have no part in it. The owner of any multipool can call tidy() for the same, at a moment
/// of his choice. It sets the merged rooms aside, and blocks of all sizes are cut from them in the order of the requests, as from
/// a new chunk, before another chunk is taken: what is built next lies on few pages, even if only holes are free.
///
/// Invariants: blocks whose size is a multiple of 16 lie at multiples of 16.
///
/// Source: P0089R1, section 3 ("adaptive pools"); P0213R0, section 5.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/fwd.hpp>
#include <mallard/impl/checking/by_default.hpp>
#include <mallard/impl/chunks/growth.hpp>
#include <mallard/impl/chunks/held_list.hpp>
#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/hybrid_order.hpp>
#include <mallard/reuse/last_freed.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/pool_front.hpp>
#include <mallard/reuse/size_classes.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

struct multipool_options {
    /// Larger requests go straight upstream. From 8 to 2^30; a number outside stands for the nearest.
    std::size_t largest_pooled_bytes = std::size_t{32} << 10;
    /// Of the chunks from the second on. No chunk is larger than 2 GiB.
    chunk_growth growth{.factor = 4};
};

}} // namespace mallard::MALLARD_MODE

namespace mallard::unchecked { inline namespace MALLARD_MODE {

/// `Reuse` is the order in which freed blocks are used again; the default is chosen by measurement
/// (reuse/hybrid_order.hpp).
///
/// Not thread-safe; neither copied nor moved, because bound containers point to it.
template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
class multipool {
    static_assert(
        reuse::are_sound<Classes>,
        "mallard: these size classes do not fit together, or there are too many of them, or they are too "
        "near to each other: reuse/size_classes.hpp says what they have to be");

    using front_type = reuse::pool_front<typename Reuse::template by_class<Classes>, Classes>;

public:
    using upstream_type = Upstream;

    /// Effects: makes an allocator that asks for nothing until its first request: in static storage a constant (constinit).
    explicit constexpr multipool(multipool_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : front_(class_count(options)), next_(options.growth, most_chunk_bytes) {}

    /// Requires: `source` outlives the allocator.
    explicit constexpr multipool(core::upstream_argument<Upstream> source,
                                 multipool_options options = {}) noexcept
        : front_(class_count(options)), next_(options.growth, most_chunk_bytes), upstream_(source) {}

    multipool(const multipool&) = delete;
    multipool& operator=(const multipool&) = delete;

    ~multipool() { release(); }

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`. Zero bytes get a block of eight.
    /// Throws: std::bad_alloc, or the upstream's exceptions; the allocator is unchanged then.
    /// Complexity: constant on average, apart from calls upstream.
    [[nodiscard, gnu::always_inline]] void* allocate(std::size_t bytes,
                                                     std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (alignment > fundamental_alignment) [[unlikely]] {
            return allocate_over_aligned(bytes, alignment);
        }
        if (void* block = front_.allocate(bytes, alignment)) [[likely]] {
            return block;
        }
        return allocate_slowly(bytes, alignment);
    }

    /// Returns: the result of allocate(); null, with no effect, if there is no memory (nothrow_upstream).
    /// Complexity: constant on average, apart from calls upstream.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (alignment > fundamental_alignment) [[unlikely]] {
            return try_allocate_over_aligned(bytes, alignment);
        }
        if (void* block = front_.allocate(bytes, alignment)) [[likely]] {
            return block;
        }
        return try_allocate_slowly(bytes, alignment);
    }

    /// Returns: a block of at least `bytes` bytes, and their number: the size of the class, or `bytes` above the largest
    /// pooled size.
    /// Throws: the exceptions of allocate().
    /// Complexity: constant on average, apart from calls upstream.
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment) {
        const std::size_t more = largest_request(bytes, alignment);
        return {allocate(more, alignment), more};
    }

    /// Effects: makes the block free for requests of its size class.
    /// Requires: `p` came from allocate(bytes, alignment) of this allocator and was not deallocated since. If it came from
    /// allocate_at_least(), `bytes` is any number from those requested to those returned.
    /// Complexity: constant.
    [[gnu::always_inline]] void deallocate(void* p, std::size_t bytes,
                                           std::size_t alignment = fundamental_alignment) noexcept {
        if (alignment > fundamental_alignment) [[unlikely]] {
            deallocate_over_aligned(p, bytes, alignment);
            return;
        }
        if (!front_.deallocate(p, bytes, alignment)) [[unlikely]] {
            deallocate_large(p, bytes, alignment);
        }
    }

    /// Returns: `count` blocks of `bytes` bytes. New chunks for them are as large as all of them need, up to the
    /// largest chunk.
    /// Throws: refused_request if `bytes` is less than the size of a pointer; the exceptions of allocate(). No block is
    /// lost; a chunk that was taken for the burst may stay.
    /// Complexity: linear in the blocks, apart from calls upstream.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count);

    /// Effects: deallocates all blocks of the chain, in its order.
    /// Requires: each came from this allocator, of these two numbers.
    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        block_chain chain = std::move(blocks);
        // Counted, because a chain that has a block twice leads back to it.
        for (std::size_t remaining = chain.size(); remaining != 0; --remaining) {
            deallocate(core::known(chain.pop_front()), bytes, alignment);
        }
    }

    /// Effects: makes sure that `count` blocks of the size class are free, and touches their pages: as many requests for blocks
    /// of that class need no call upstream and no new page, whatever other requests come in between. release() and tidy() end
    /// the reserve. A shrinking_multipool has none, because it returns free blocks on its own.
    /// Throws: refused_request if such a block goes straight upstream; the exceptions of allocate(). A chunk that was taken may
    /// stay.
    /// Complexity: linear in the blocks and their pages, apart from calls upstream.
    void reserve(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires(!reuse::gives_chunks_back<Classes>)
    {
        core::warn_if_negative(bytes);
        core::warn_if_negative(count);
        add_to_reserve(bytes, alignment, count);
    }

    /// Effects: returns all memory to the upstream, and invalidates all blocks.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: linear in the chunks and in the blocks above the largest pooled size.
    void release() noexcept {
        front_.clear();
        held_.release(upstream_.get());
        next_.restart();
        account_ = {};
    }

    /// Effects: returns the chunks to the upstream in which every block is free, and the unused end of the newest one to the
    /// system, if the upstream can discard() it. Moves no block in use. Free blocks that lie side by side become one room, from
    /// which blocks of any size are cut from now on, one behind the other: rooms of a page and more first, then the others, each
    /// kind in the order of addresses. A pool of one size merges nothing and reuses its blocks in that order.
    /// Empty chunks may stay: that of the lists, in a pool that had blocks of up to eight bytes those with padding (all of them,
    /// if it had no other blocks), and in a pool that began with one size the first ones.
    /// Complexity: n log n in the chunks and in the blocks freed since the last call, and linear in the rooms that are left of it;
    /// all of these are read. For a moment when the program can wait.
    void tidy() noexcept
        requires requires(front_type& front, reuse::block_run& blocks) { front.free().put_back(blocks); };

    [[nodiscard]] std::size_t largest_pooled_bytes() const noexcept {
        return Classes::bytes(front_.classes() - 1);
    }

    /// Returns: the words of the fast path, for bindings that take it themselves.
    [[nodiscard]] auto& front() noexcept { return front_; }

    /// Returns: true if `p` lies in the memory of this allocator, in a block or free.
    /// Complexity: linear in the chunks and in the blocks above the largest pooled size.
    [[nodiscard]] bool owns(const void* p) const noexcept { return held_.owns(p); }

    /// Returns: the bytes of the newest chunk that no block was cut from yet. Free blocks are not counted.
    /// Complexity: constant.
    [[nodiscard]] std::size_t bytes_left() const noexcept { return front_.room_bytes(); }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        allocator_stats sum = held_.stats();
        sum.upstream_calls = upstream_calls_;
        return sum;
    }

private:
    static constexpr std::size_t most_pooled_bytes = std::size_t{1} << 30;
    static constexpr std::size_t most_chunk_bytes = std::size_t{1} << 31;

    static constexpr std::size_t class_count(const multipool_options& options) noexcept {
        return Classes::index(core::min(options.largest_pooled_bytes, most_pooled_bytes), 8) + 1;
    }

    /// Over-aligned blocks of a pool hold the address of the pool's block in front of the caller's. Those that
    /// are too large for that are large blocks.
    static constexpr std::size_t over_aligned_bytes(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t sum = core::max<std::size_t>(bytes, 1) + alignment;
        return sum < bytes ? SIZE_MAX : sum;
    }

    /// Returns: the largest request that gets the same block as one of `bytes`.
    [[nodiscard]] std::size_t largest_request(std::size_t bytes, std::size_t alignment) const noexcept {
        const bool over_aligned = alignment > fundamental_alignment;
        const std::size_t index =
            over_aligned ? Classes::index(over_aligned_bytes(bytes, alignment), fundamental_alignment)
                         : Classes::index(bytes, alignment);
        return index < front_.classes() ? Classes::bytes(index) - (over_aligned ? alignment : 0) : bytes;
    }

    [[gnu::cold, gnu::noinline]] void* try_allocate_slowly(std::size_t bytes, std::size_t alignment) noexcept;
    [[gnu::cold, gnu::noinline]] void* try_allocate_over_aligned(std::size_t bytes,
                                                                 std::size_t alignment) noexcept;
    [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment);
    void add_to_reserve(std::size_t bytes, std::size_t alignment, std::size_t count);
    bool make_list(std::size_t index);
    /// Apart from its callers, because it needs about 10 KiB of the stack.
    [[gnu::cold, gnu::noinline]] reuse::block_run take_sorted(const reuse::block_run& chunks) noexcept;
    void give_empty_chunks_back() noexcept;
    template <bool Quiet = false>
    bool add_chunk(std::size_t index, std::size_t blocks, std::size_t list_bytes = 0);
    template <bool Quiet = false>
    void* allocate_large(std::size_t bytes, std::size_t alignment);
    [[gnu::cold, gnu::noinline]] void deallocate_large(void* p, std::size_t bytes,
                                                       std::size_t alignment) noexcept;
    [[gnu::cold, gnu::noinline]] void* allocate_over_aligned(std::size_t bytes, std::size_t alignment);
    [[gnu::cold, gnu::noinline]] void deallocate_over_aligned(void* p, std::size_t bytes,
                                                              std::size_t alignment) noexcept;

    static constexpr bool shrinks = reuse::gives_chunks_back<Classes>;

    static constexpr std::size_t word_bytes = 8;                               ///< of the smallest blocks
    static constexpr std::size_t least_block_bytes = 16;                       ///< that hold their size, too
    static constexpr std::size_t least_searched_bytes = std::size_t{64} << 10; ///< of all chunks
    static constexpr std::size_t least_merged_room_bytes = 512;
    /// A page: what is cut from such a room lies together. tidy() sets it aside before shorter ones.
    static constexpr std::size_t wide_room_bytes = 4096;
    static constexpr std::size_t odd_end_bytes = 24; ///< the least block that ends at no multiple of 16
    /// The pool grows by as many for each run of free blocks that a search left, before the next search.
    static constexpr std::size_t searched_bytes_a_run = 256;
    /// No chunk is larger than about this part of all of them. Larger ones would hold much of the next wave.
    static constexpr std::size_t chunks_at_least = 32;

    struct chunk_account {
        std::size_t held_bytes = 0;
        std::size_t next_search_bytes = least_searched_bytes;
    };
    struct no_account {};

    front_type front_;
    chunks::held_list held_;
    std::uint32_t upstream_calls_ = 0;
    chunks::next_chunk next_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<Upstream> upstream_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] std::conditional_t<shrinks, chunk_account, no_account> account_;
};

/// Returns: the free blocks, which are in no list then, and the room, in the order of addresses.
/// Requires: `chunks` are all chunks, sorted.
template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
reuse::block_run multipool<Upstream, Reuse, Classes>::take_sorted(const reuse::block_run& chunks) noexcept {
    reuse::block_sorter sorter(chunks);
    front_.free().take_all([&](core::free_block* block, std::size_t bytes) { sorter.add(block, bytes); });
    if (front_.room_bytes() >= least_block_bytes) {
        sorter.add(reinterpret_cast<core::free_block*>(front_.cursor()), front_.room_bytes());
    }
    return sorter.sort();
}

/// Effects: gives the chunks back in which every block is free, and merges the free blocks of the others.
/// Complexity: n log n in the free blocks. The pool grows by a sixteenth between two searches, and by more if many free
/// blocks stay alone.
template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void multipool<Upstream, Reuse, Classes>::give_empty_chunks_back() noexcept {
    auto& free = front_.free();
    free.donate(front_.cursor(), front_.room_bytes());
    front_.set_room(front_.limit(), 0);
    const auto chunks = held_.template take_chunks<reuse::block_run>();
    reuse::block_run blocks = take_sorted(chunks);
    std::size_t kept_runs = 0;
    held_.put_back(upstream_.get(), chunks, [&](std::byte* begin, std::byte* end) {
        if (blocks.fills(begin, end)) {
            blocks.drop_up_to(end);
            account_.held_bytes -= static_cast<std::size_t>(end - begin) + sizeof(chunks::held);
            return true;
        }
        for (; blocks.has_block_before(end); ++kept_runs) {
            const std::span<std::byte> merged = blocks.take_merged(end);
            free.donate(merged.data(), merged.size());
        }
        return false;
    });
    account_.next_search_bytes =
        account_.held_bytes + core::max(core::max(account_.held_bytes / 16, least_searched_bytes),
                                        kept_runs * searched_bytes_a_run);
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void multipool<Upstream, Reuse, Classes>::tidy() noexcept
    requires requires(front_type& front, reuse::block_run& blocks) { front.free().put_back(blocks); }
{
    if constexpr (shrinks) {
        give_empty_chunks_back();
        return;
    }
    auto& free = front_.free();
    std::byte* const room = front_.cursor();
    const auto chunks = held_.template take_chunks<reuse::block_run>();
    reuse::block_run blocks = take_sorted(chunks);
    if (free.has_aside()) {
        blocks.merge(free.take_aside());
    }
    const bool merges = free.has_aside();
    const bool has_words = front_.may_have_words();
    // Less than a block, if all have one size; padding in front of a block of a multiple of 16; or anything is a block.
    const std::size_t gap_bytes = free.only_bytes() != 0 ? free.only_bytes() - 8 : has_words ? 0 : 8;
    reuse::block_run wide; // all blocks, if none are merged
    reuse::block_run narrow;
    reuse::block_run words; // of 8 bytes, between blocks in use
    std::size_t kept_bytes = 0;
    bool has_room = false;
    held_.put_back(upstream_.get(), chunks, [&](std::byte* begin, std::byte* end) {
        if (blocks.fills(begin, end, gap_bytes)) {
            blocks.drop_up_to(end);
            return true;
        }
        has_room = has_room || (begin <= room && room <= end);
        kept_bytes += static_cast<std::size_t>(end - begin);
        while (blocks.has_block_before(end)) {
            core::free_block* const first = blocks.first();
            auto* const merged = reinterpret_cast<std::byte*>(first);
            std::size_t bytes = reuse::block_run::bytes(first);
            if (merges) {
                bytes = blocks.take_merged(end, gap_bytes).size();
            } else {
                static_cast<void>(blocks.pop());
            }
            if (merged <= room && room < merged + bytes) {
                const auto front_bytes = static_cast<std::size_t>(room - merged);
                front_.set_room(room, bytes - front_bytes);
                bytes = front_bytes;
            }
            // A rest of 8 bytes in front of padding would look like a block in use, so rooms end at multiples of 16.
            if (merges && bytes != 0 && !core::is_aligned(merged + bytes, 16)) {
                const std::size_t odd_bytes = has_words ? word_bytes : core::min(bytes, odd_end_bytes);
                bytes -= odd_bytes;
                if (has_words) {
                    words.push(reinterpret_cast<core::free_block*>(merged + bytes), odd_bytes);
                } else {
                    free.donate(merged + bytes, odd_bytes);
                }
            }
            if (bytes >= least_block_bytes) {
                (bytes >= wide_room_bytes || !merges ? wide : narrow).push(first, bytes);
            } else if (bytes == word_bytes && has_words) {
                words.push(first, bytes);
            }
        }
        return false;
    });
    if (merges) {
        wide.reverse();
        narrow.reverse();
        free.set_aside(wide, narrow);
        free.put_back(words);
    } else {
        free.put_back(wide);
    }
    if (!has_room) {
        front_.set_room(nullptr, 0);
    }
    core::discard(upstream_.get(), front_.cursor(), front_.room_bytes());
    next_.restart(kept_bytes / 8);
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void* multipool<Upstream, Reuse, Classes>::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    const std::size_t index = Classes::index(bytes, alignment);
    if (index >= front_.classes()) {
        return allocate_large(bytes, alignment);
    }
    if (make_list(index)) {
        if (void* const block = front_.carve(index, bytes)) {
            return block;
        }
    }
    add_chunk(index, 1);
    return front_.carve(index, bytes);
}

/// Effects: makes sure that blocks of class `index` can be free. Takes a chunk if there is no room for their list.
/// Returns: false if they could be before.
template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
bool multipool<Upstream, Reuse, Classes>::make_list(std::size_t index) {
    auto& free = front_.free();
    if (free.serves(index)) {
        return false;
    }
    const std::size_t list_bytes = free.bytes_to_serve(index, front_.classes());
    if (list_bytes > static_cast<std::size_t>(front_.limit() - front_.cursor())) {
        add_chunk(index, 1, list_bytes);
    }
    free.serve(index, front_.classes(), front_.cursor());
    front_.cursor() += list_bytes;
    return true;
}

/// Effects: takes a chunk for a block of class `index`, or for `blocks` of them if chunks may be so large. The rest of
/// the last chunk becomes free.
/// Returns: false, with no effect, if there is no memory and `Quiet` is true.
template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
template <bool Quiet>
bool multipool<Upstream, Reuse, Classes>::add_chunk(std::size_t index, std::size_t blocks,
                                                    std::size_t list_bytes) {
    const std::size_t least_room_bytes = list_bytes + front_.free().room_for(index);
    std::size_t wanted_bytes = least_room_bytes + sizeof(chunks::held);
    if (blocks != 1) {
        const std::size_t block_bytes = Classes::bytes(index);
        const std::size_t more_bytes =
            core::min(blocks - 1, next_.largest_bytes() / block_bytes) * block_bytes;
        wanted_bytes = core::max(wanted_bytes, core::min(wanted_bytes + more_bytes, next_.largest_bytes()));
    }
    std::span<std::byte> free_room;
    if constexpr (shrinks) {
        if (account_.held_bytes >= account_.next_search_bytes) {
            give_empty_chunks_back();
        }
        if (blocks == 1) {
            free_room = front_.free().take_largest(core::max(least_room_bytes, least_merged_room_bytes));
        }
    } else if constexpr (requires { front_.free().take_room(least_room_bytes); }) {
        free_room = front_.free().take_room(least_room_bytes);
    }
    if (!free_room.empty()) {
        front_.free().donate(front_.cursor(), front_.room_bytes());
        front_.set_room(free_room.data(), free_room.size());
        return true;
    }
    // A pool may serve a single block, so the first chunk is no larger than it needs.
    std::size_t chunk_bytes =
        front_.cursor() == nullptr ? core::max(wanted_bytes, next_.bytes()) : next_.bytes_for(wanted_bytes);
    std::byte* const room = chunks::take_chunk<Quiet>(
        upstream_, chunk_bytes, wanted_bytes,
        [this](auto&& source, std::size_t size) { return held_.add_chunk(source, size); });
    if (Quiet && room == nullptr) {
        return false;
    }
    next_.took(chunk_bytes, wanted_bytes);
    ++upstream_calls_;
    if constexpr (shrinks) {
        account_.held_bytes += chunk_bytes;
        if (account_.held_bytes >= least_searched_bytes) {
            next_.restart(account_.held_bytes / chunks_at_least);
        }
    }
    front_.free().donate(front_.cursor(), front_.room_bytes());
    front_.set_room(room, core::align_down(chunk_bytes - sizeof(chunks::held), 8));
    return true;
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
block_chain multipool<Upstream, Reuse, Classes>::allocate_many(std::size_t bytes, std::size_t alignment,
                                                               std::size_t count) {
    MALLARD_EXPECTS(is_power_of_two(alignment));
    core::expect_possible_burst(bytes, alignment, count);
    const std::size_t index = Classes::index(bytes, alignment);
    if (alignment > fundamental_alignment || index >= front_.classes()) {
        return core::allocate_one_by_one(*this, bytes, alignment, count);
    }
    static_cast<void>(make_list(index));
    core::unfinished_burst burst(*this, bytes, alignment);
    while (burst.size() != count) {
        if (void* block = front_.free().pop(index)) {
            front_.hand_out(block, bytes);
            burst.add(block);
            continue;
        }
        const auto carve = [&, end = front_.limit()](std::byte*& cursor) {
            void* block = front_.cut(cursor, end, index);
            if (block != nullptr) {
                front_.hand_out(block, bytes);
            }
            return block;
        };
        if (!burst.add_carved(front_.cursor(), count, carve)) {
            add_chunk(index, count - burst.size());
        }
    }
    return burst.finish();
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void multipool<Upstream, Reuse, Classes>::add_to_reserve(std::size_t bytes, std::size_t alignment,
                                                         std::size_t count) {
    MALLARD_EXPECTS(is_power_of_two(alignment));
    const bool over_aligned = alignment > fundamental_alignment;
    if (Classes::index(over_aligned ? over_aligned_bytes(bytes, alignment) : bytes,
                       core::min(alignment, fundamental_alignment)) >= front_.classes()) {
        core::refuse_reserve(bytes, alignment, largest_pooled_bytes());
    }
    core::reserve_by_burst(*this, largest_request(bytes, alignment), alignment, count);
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
template <bool Quiet>
void* multipool<Upstream, Reuse, Classes>::allocate_large(std::size_t bytes, std::size_t alignment) {
    void* block = held_.allocate(core::source_from<Quiet>(upstream_), bytes, alignment);
    upstream_calls_ += static_cast<std::uint32_t>(!Quiet || block != nullptr);
    return block;
}

/// Takes a chunk first, if there is no room for the block and a list that its class needs. Nothing fails then.
template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void* multipool<Upstream, Reuse, Classes>::try_allocate_slowly(std::size_t bytes,
                                                               std::size_t alignment) noexcept {
    const std::size_t index = Classes::index(bytes, alignment);
    if (index >= front_.classes()) {
        return allocate_large<true>(bytes, alignment);
    }
    auto& free = front_.free();
    std::size_t list_bytes = 0;
    if constexpr (requires { free.serves(index); }) {
        list_bytes = free.serves(index) ? 0 : free.bytes_to_serve(index, front_.classes());
    }
    const std::size_t padding = core::padding_to(front_.cursor(), 16);
    if (list_bytes + padding + free.room_for(index) > front_.room_bytes() &&
        !add_chunk<true>(index, 1, list_bytes)) {
        return nullptr;
    }
    static_cast<void>(make_list(index));
    return front_.carve(index, bytes);
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void* multipool<Upstream, Reuse, Classes>::try_allocate_over_aligned(std::size_t bytes,
                                                                     std::size_t alignment) noexcept {
    const std::size_t padded_bytes = over_aligned_bytes(bytes, alignment);
    if (Classes::index(padded_bytes, fundamental_alignment) >= front_.classes()) {
        return allocate_large<true>(bytes, alignment);
    }
    void* const block = try_allocate(padded_bytes);
    if (block == nullptr) {
        return nullptr;
    }
    deallocate(block, padded_bytes); // a block that allocate_over_aligned() finds
    return allocate_over_aligned(bytes, alignment);
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void multipool<Upstream, Reuse, Classes>::deallocate_large(void* p, [[maybe_unused]] std::size_t bytes,
                                                           [[maybe_unused]] std::size_t alignment) noexcept {
    // A pooled size that the front has no list for was never allocated.
    MALLARD_EXPECTS(Classes::index(bytes, alignment) >= front_.classes());
    held_.deallocate(upstream_.get(), p);
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void* multipool<Upstream, Reuse, Classes>::allocate_over_aligned(std::size_t bytes, std::size_t alignment) {
    const std::size_t padded_bytes = over_aligned_bytes(bytes, alignment);
    if (Classes::index(padded_bytes, fundamental_alignment) >= front_.classes()) {
        return allocate_large(bytes, alignment);
    }
    auto* block = static_cast<std::byte*>(allocate(padded_bytes));
    std::byte* aligned = block + sizeof(void*);
    aligned += core::padding_to(aligned, alignment);
    *(reinterpret_cast<std::byte**>(aligned) - 1) = block;
    core::poison(aligned, static_cast<std::size_t>(block + padded_bytes - aligned));
    front_.hand_out(aligned, bytes);
    return aligned;
}

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
void multipool<Upstream, Reuse, Classes>::deallocate_over_aligned(void* p, std::size_t bytes,
                                                                  std::size_t alignment) noexcept {
    core::expect_usable(p);
    const std::size_t padded_bytes = over_aligned_bytes(bytes, alignment);
    if (Classes::index(padded_bytes, fundamental_alignment) >= front_.classes()) {
        held_.deallocate(upstream_.get(), p);
        return;
    }
    std::byte* block = *(static_cast<std::byte**>(p) - 1);
    deallocate(block, padded_bytes);
}

}} // namespace mallard::unchecked::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <upstream Upstream, reuse_order Reuse, size_class_policy Classes>
class multipool : public checking::by_default<unchecked::multipool<Upstream, Reuse, Classes>> {
    using base = checking::by_default<unchecked::multipool<Upstream, Reuse, Classes>>;

public:
    using front_owner = multipool; // (core/concepts.hpp)
    using upstream_type = Upstream;
    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr multipool() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...> && (!std::is_constructible_v<base, First, Args...>)
    multipool(First&&, Args&&...) = delete; // it takes an upstream, and sizes in multipool_options

    template <core::foreign_upstream<multipool> Source, class... Args>
        requires(!std::is_constructible_v<base, Source&, Args...>)
    multipool(Source&, Args&&...) = delete; // its type names the upstream: omit the <>

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // std::pmr takes the address of a mallard::resource
};

// One for each constructor, because nothing is deduced from inherited constructors.
template <upstream Upstream = chunk_cache, reuse_order Reuse = hybrid_order,
          size_class_policy Classes = eighth_classes>
multipool(multipool_options = {}) -> multipool<Upstream, Reuse, Classes>;
template <upstream Upstream, reuse_order Reuse = hybrid_order, size_class_policy Classes = eighth_classes>
multipool(Upstream&, multipool_options = {}) -> multipool<Upstream, Reuse, Classes>;
template <upstream_reference Reference>
multipool(const Reference&, multipool_options = {}) -> multipool<Reference>;

static_assert(local_allocator<multipool<>> && burst_allocator<multipool<>>);
static_assert(sizeof(unchecked::multipool<chunk_cache, hybrid_order, eighth_classes>) <= 40,
              "a program may have a million of them");

}} // namespace mallard::MALLARD_MODE
