/// The calls of a heap's users, over an upstream and in a region alike.
///
/// Data model: rooms, and the space of blocks in them (impl/space/heap_walks.hpp). If the space cannot serve a
/// request, the rooms are asked for another room.
///
/// Poisoning: tags, free blocks and the remainder are poisoned. Of a block in use, the requested bytes are
/// usable, and all of them after usable_bytes() or an expansion.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_walks.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace mallard::space { inline namespace MALLARD_MODE {

template <class Rooms, class Links>
class heap_calls : public heap_walks<Rooms, Links> {
public:
    using walks = heap_walks<Rooms, Links>;

    /// Requests at larger alignments cost twice as much.
    static constexpr std::size_t granule_bytes = heap_block::granule_bytes;

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`. Zero bytes get the smallest block.
    /// Throws: std::bad_alloc, or the upstream's exceptions; the heap is unchanged then.
    /// Complexity: constant, apart from calls upstream.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (const heap_block b = take_at_once(bytes, alignment)) [[likely]] {
            return hand_out(b.payload(), bytes);
        }
        return hand_out(allocate_slowly(bytes, alignment, false), bytes);
    }

    /// Returns: a block of `bytes` bytes; null if there is no memory. The out-of-memory handler is not called.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (const heap_block b = take_at_once(bytes, alignment)) [[likely]] {
            return hand_out(b.payload(), bytes);
        }
        void* const p = allocate_slowly(bytes, alignment, true);
        return p == nullptr ? nullptr : hand_out(p, bytes);
    }

    /// Effects: makes the block free. One of up to 4 KiB waits for a request of its size, and is merged with its
    /// free neighbours before a request fails; a larger one is merged at once.
    /// Requires: `p` is a block of this heap and was not deallocated since. The block knows its size; the two
    /// numbers are ignored.
    /// Complexity: constant, apart from calls upstream.
    void deallocate(void* p, std::size_t /*bytes*/ = 0, std::size_t /*alignment*/ = 1) noexcept {
        core::expect_usable(p);
        const heap_block b = heap_block::holding(p);
        const std::size_t word = b.tag();
        if ((word & heap_block::not_to_wait) != 0) [[unlikely]] {
            deallocate_large(b);
            return;
        }
        const std::size_t bytes = word & ~heap_block::flags;
        core::poison(p, bytes - heap_block::tag_bytes);
        space_.give_quick(b, bytes);
    }

    /// Returns: a block of at least `bytes` bytes, and their number.
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment) {
        void* const p = allocate(bytes, alignment);
        return {p, usable_bytes(p)};
    }

    /// Returns: a block of at least `bytes` bytes, and their number; null and 0 if there is no memory.
    [[nodiscard]] sized_block try_allocate_at_least(std::size_t bytes,
                                                    std::size_t alignment = fundamental_alignment) noexcept {
        void* const p = try_allocate(bytes, alignment);
        return {p, p == nullptr ? 0 : usable_bytes(p)};
    }

    /// Returns: the bytes of the block, all usable, at least as many as were requested.
    /// Requires: `p` is a block of this heap.
    /// Complexity: constant.
    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept {
        const std::size_t bytes = heap_block::holding(p).payload_bytes();
        core::unpoison(p, bytes);
        return bytes;
    }

    /// Effects: gives block `p` at least `r.least_bytes`, and `r.preferred_bytes` if possible, by the first
    /// expansion of `r.allowed` that is possible:
    /// - forward, or unchanged if it has the least bytes and there are no more;
    /// - backward, and forward as far as possible;
    /// - a fresh block without contents, the only one if `p` is null.
    /// Returns: the block and its bytes; a null result if no way is open and no fresh block was allowed.
    /// Requires: `p` is a block of this heap, or null; `r.step_bytes` comes from backward_step(); the preferred
    /// bytes are at least the least bytes.
    /// Throws: std::bad_alloc if a fresh block was allowed; the block is unchanged then.
    /// Complexity: constant, apart from calls upstream.
    /// Source: N2045, allocation_command().
    [[nodiscard]] expansion_result expand(void* p, const expansion_request& r) {
        return expand_by(p, r, false);
    }

    /// Returns: the result of expand(); a null result if that throws.
    [[nodiscard]] expansion_result try_expand(void* p, const expansion_request& r) noexcept {
        return expand_by(p, r, true);
    }

    /// Effects: gives back the memory behind the first `bytes` bytes of the block, as far as it is usable. The
    /// block keeps its address.
    /// Returns: the bytes that it has now.
    /// Requires: `p` is a block of this heap, of at least `bytes` bytes.
    /// Complexity: constant, apart from calls to the system.
    std::size_t shrink(void* p, std::size_t bytes) noexcept {
        const heap_block b = heap_block::holding(p);
        const std::size_t had = b.payload_bytes();
        MALLARD_EXPECTS(bytes <= had);
        if (!b.is(heap_block::reserved)) [[likely]] {
            const std::size_t remaining =
                space_.shrink(b, space_type::block_bytes_for(bytes)) - heap_block::tag_bytes;
            core::poison(static_cast<std::byte*>(p) + remaining, had - remaining);
            core::unpoison(p, remaining);
            return remaining;
        }
        rooms_.shrink_large(b, bytes);
        const std::size_t remaining = b.payload_bytes();
        core::unpoison(p, remaining);
        return remaining;
    }

    /// Returns: the bytes that shrink() would leave the block, if the system takes pages back.
    /// Requires: as shrink().
    /// Complexity: constant.
    /// Source: N2045, try_shrink_in_place.
    [[nodiscard]] std::size_t shrunk_bytes(const void* p, std::size_t bytes) const noexcept {
        const heap_block b = heap_block::holding(p);
        MALLARD_EXPECTS(bytes <= b.payload_bytes());
        return b.is(heap_block::reserved)
                   ? rooms_.shrunk_large(b, bytes)
                   : space_.shrunk_bytes(b, space_type::block_bytes_for(bytes)) - heap_block::tag_bytes;
    }

    /// Returns: `count` blocks, side by side as far as there is room. Each has room for a pointer.
    /// Throws: the exceptions of allocate(). No block is lost.
    /// Complexity: linear in the blocks, apart from calls upstream.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count);

    /// Returns: `count` blocks in runs of `contiguous` blocks, which lie side by side in the order of their addresses;
    /// the last run may have fewer. Each has room for a pointer.
    /// Requires: `contiguous` is not 0; `alignment` is at most 16.
    /// Throws: the exceptions of allocate(), also if no memory has room for a run. No block is lost.
    /// Complexity: linear in the blocks, apart from calls upstream.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count,
                                            std::size_t contiguous);

    /// Returns: a block of each size, at least a pointer's, in their order, side by side if there is room.
    /// Throws: the exceptions of allocate(). No block is lost.
    /// Complexity: linear in the blocks, apart from calls upstream.
    [[nodiscard]] block_chain allocate_many(std::span<const std::size_t> sizes,
                                            std::size_t alignment = fundamental_alignment);

    /// Effects: deallocates all blocks of the chain, of any size. Adjacent blocks are merged before they go to a
    /// bin.
    /// Requires: each is a block of this heap and was not deallocated since.
    /// Complexity: linear in the blocks.
    void deallocate_many(block_chain&& blocks) noexcept {
        const block_chain all = std::move(blocks);
        space_.give_many(all, [this](heap_block b, std::size_t word) {
            if ((word & heap_block::not_to_wait) != 0) [[unlikely]] {
                deallocate_large(b);
                return false;
            }
            core::poison(b.payload(), (word & ~heap_block::flags) - heap_block::tag_bytes);
            return true;
        });
    }

    /// Effects: deallocates all blocks of the chain. The numbers are ignored.
    void deallocate_many(block_chain&& blocks, std::size_t /*bytes*/, std::size_t /*alignment*/) noexcept {
        deallocate_many(std::move(blocks));
    }

    /// Returns: true if `p` lies in the memory of this heap, in a block or free.
    /// Complexity: linear in the chunks and in the large blocks.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        bool owned = !rooms_.walk_rooms(
            [p](const std::byte* begin, const std::byte* end) { return !core::lies_in({begin, end}, p); });
        static_cast<void>(rooms_.find_large([&](heap_block b) {
            owned =
                owned || core::lies_in({static_cast<const std::byte*>(b.payload()), b.payload_bytes()}, p);
        }));
        return owned;
    }

    /// Effects: merges the freed blocks that wait for a request of their size with their free neighbours.
    /// Complexity: linear in these blocks.
    void settle() noexcept { space_.settle(); }

protected:
    using typename walks::space_type;
    using walks::rooms_;
    using walks::space_;
    using walks::walks;

    /// Returns: a block of the space; null if it has none.
    [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t block_bytes = space_type::block_bytes_for(bytes);
        const heap_block b = alignment <= heap_block::granule_bytes
                                 ? space_.take(block_bytes)
                                 : space_.take_aligned(block_bytes, alignment);
        return b ? b.payload() : nullptr;
    }

    ~heap_calls() = default;

private:
    static constexpr std::size_t most_quick_bytes = space_type::largest_quick_bytes - heap_block::tag_bytes;
    /// Smaller requests have a bin of their size.
    static constexpr std::size_t small_bytes =
        space_type::exact_bytes - heap_block::granule_bytes - heap_block::tag_bytes + 1;
    /// The most bytes that a burst asks the rooms for at a time.
    static constexpr std::size_t most_carved_bytes = std::size_t{256} << 10;

    /// Returns: a block that waits, or is in the bin of its size, or the front of the remainder; null if there is
    /// none.
    [[nodiscard]] heap_block take_at_once(std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes > most_quick_bytes || alignment > heap_block::granule_bytes) [[unlikely]] {
            return {};
        }
        const std::size_t block_bytes = space_type::block_bytes_for(bytes);
        const heap_block b = space_.take_quick(block_bytes);
        return b || bytes >= small_bytes ? b : space_.take_small(block_bytes);
    }

    static void* hand_out(void* p, std::size_t bytes) noexcept {
        core::unpoison(p, core::max<std::size_t>(bytes, 1));
        return p;
    }

    [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment, bool quiet);
    expansion_result expand_by(void* p, const expansion_request& r, bool quiet);
    [[gnu::cold, gnu::noinline]] void deallocate_large(heap_block b) noexcept {
        if (!b.is(heap_block::reserved)) {
            core::fail_damaged_free_memory(b.payload()); // it waits in a list
        }
        rooms_.deallocate_large(b);
    }
    [[gnu::cold, gnu::noinline]] bool grow_large(heap_block b, std::size_t least, std::size_t most) noexcept {
        return rooms_.grow_large(b, least, most);
    }
    [[gnu::always_inline]] heap_block grow_in_place(heap_block b, const expansion_request& r) noexcept;
    [[gnu::cold, gnu::noinline]] heap_block settle_and_grow(heap_block b, heap_block grown,
                                                            const expansion_request& r) noexcept;
    expansion_result allocate_to_grow(const expansion_request& r, bool quiet);

    /// Returns: the result for a block, with all of it usable.
    static expansion_result to_result(heap_block b, expansion method) noexcept {
        const std::size_t bytes = b.payload_bytes();
        core::unpoison(b.payload(), bytes);
        return {b.payload(), bytes, method};
    }
};

template <class Rooms, class Links>
void* heap_calls<Rooms, Links>::allocate_slowly(std::size_t bytes, std::size_t alignment, bool quiet) {
    if (bytes > space_type::most_bytes || alignment > space_type::most_bytes) {
        if (quiet) {
            return nullptr;
        }
        rooms_.fail(bytes, alignment);
    }
    if (const heap_block b = rooms_.allocate_large(bytes, alignment)) {
        return b.payload();
    }
    if (void* const p = take(bytes, alignment)) {
        return p;
    }
    if (space_.settle()) {
        if (void* const p = take(bytes, alignment)) {
            return p;
        }
    }
    const std::size_t needed = space_type::bytes_for_aligned(space_type::block_bytes_for(bytes), alignment);
    if (!rooms_.add_room_for(space_, needed, quiet)) {
        return nullptr;
    }
    return take(bytes, alignment);
}

template <class Rooms, class Links>
expansion_result heap_calls<Rooms, Links>::expand_by(void* p, const expansion_request& r, bool quiet) {
    MALLARD_EXPECTS(r.least_bytes <= r.preferred_bytes && is_power_of_two(r.alignment));
    MALLARD_EXPECTS(r.step_bytes != 0 && r.step_bytes % heap_block::granule_bytes == 0);
    if (p != nullptr && r.least_bytes <= space_type::most_bytes) {
        const heap_block b = heap_block::holding(p);
        if (b.is(heap_block::reserved)) [[unlikely]] {
            if (includes(r.allowed, expansion::forward) && grow_large(b, r.least_bytes, r.preferred_bytes)) {
                return to_result(b, expansion::forward);
            }
        } else {
            space_.merge_at_once(); // blocks that grow need free neighbours
            heap_block grown = grow_in_place(b, r);
            if (!grown || grown.payload_bytes() < r.preferred_bytes) [[unlikely]] {
                grown = settle_and_grow(b, grown, r);
            }
            if (grown) {
                return to_result(grown, grown == b ? expansion::forward : expansion::backward);
            }
        }
    }
    return includes(r.allowed, expansion::fresh) ? allocate_to_grow(r, quiet) : expansion_result{};
}

/// Returns: the block, grown forward or backward as `r` allows; null if it cannot grow.
template <class Rooms, class Links>
inline heap_block heap_calls<Rooms, Links>::grow_in_place(heap_block b, const expansion_request& r) noexcept {
    const std::size_t least = space_type::block_bytes_for(r.least_bytes);
    const std::size_t most =
        core::max(least, space_type::block_bytes_for(core::min(r.preferred_bytes, space_type::most_bytes)));
    const bool forward = includes(r.allowed, expansion::forward);
    if (forward && space_.grow_forward(b, least, most)) {
        return b;
    }
    return includes(r.allowed, expansion::backward)
               ? space_.grow_backward(b, least, most, r.step_bytes, forward)
               : heap_block();
}

/// Returns: the block `grown`, or `b` if that is null, grown further after the blocks that wait were merged, if one
/// of them may be its neighbour; otherwise `grown`.
template <class Rooms, class Links>
heap_block heap_calls<Rooms, Links>::settle_and_grow(heap_block b, heap_block grown,
                                                     const expansion_request& r) noexcept {
    const bool could_gain = !grown || grown.next().is(heap_block::quick);
    if (!could_gain || !space_.settle()) {
        return grown;
    }
    const heap_block more = grow_in_place(grown ? grown : b, r);
    return more ? more : grown;
}

/// Returns: a fresh block, if possible off the front of a free one of twice its bytes or more, so that it can
/// grow.
template <class Rooms, class Links>
expansion_result heap_calls<Rooms, Links>::allocate_to_grow(const expansion_request& r, bool quiet) {
    const std::size_t bytes = r.preferred_bytes <= space_type::most_bytes
                                  ? core::max(r.least_bytes, r.preferred_bytes)
                                  : r.least_bytes;
    if (r.alignment <= heap_block::granule_bytes && bytes < most_carved_bytes) {
        const std::size_t block_bytes = space_type::block_bytes_for(bytes);
        if (space_.widen_remainder(2 * block_bytes)) {
            return to_result(space_.take_from_remainder(block_bytes), expansion::fresh);
        }
    }
    void* p = allocate_slowly(bytes, r.alignment, quiet || r.least_bytes < bytes);
    if (p == nullptr && r.least_bytes < bytes) {
        p = allocate_slowly(r.least_bytes, r.alignment, quiet);
    }
    return p == nullptr ? expansion_result{} : to_result(heap_block::holding(p), expansion::fresh);
}

template <class Rooms, class Links>
block_chain heap_calls<Rooms, Links>::allocate_many(std::size_t bytes, std::size_t alignment,
                                                    std::size_t count) {
    core::expect_possible_burst(bytes, alignment, count);
    if (count != 0 && count > space_type::most_bytes / bytes) {
        core::fail_allocation(bytes, alignment);
    }
    if (alignment > heap_block::granule_bytes || bytes > space_type::exact_bytes) {
        return core::allocate_one_by_one(*this, bytes, alignment, count);
    }
    const std::size_t block_bytes = space_type::block_bytes_for(bytes);
    core::unfinished_burst burst(*this, bytes, alignment);
    const auto usable = [bytes](void* p) { core::unpoison(p, bytes); };
    while (burst.size() != count) {
        if (!space_.carve_many(burst, block_bytes, count, usable)) {
            const std::size_t remaining =
                core::min(count - burst.size(), most_carved_bytes / block_bytes) * block_bytes;
            if (!space_.refill_remainder(block_bytes, remaining) &&
                !(space_.settle() && space_.refill_remainder(block_bytes, remaining))) {
                rooms_.add_room_for(space_, rooms_.room_of_chunk(block_bytes, remaining), false);
            }
        }
    }
    return burst.finish();
}

template <class Rooms, class Links>
block_chain heap_calls<Rooms, Links>::allocate_many(std::size_t bytes, std::size_t alignment,
                                                    std::size_t count, std::size_t contiguous) {
    MALLARD_EXPECTS(contiguous != 0 && alignment <= heap_block::granule_bytes);
    core::expect_possible_burst(bytes, alignment, count);
    if (count != 0 &&
        (bytes > space_type::most_bytes ||
         core::min(contiguous, count) > space_type::most_bytes / space_type::block_bytes_for(bytes))) {
        core::fail_allocation(bytes, alignment);
    }
    const std::size_t block_bytes = space_type::block_bytes_for(bytes);
    core::unfinished_burst burst(*this, bytes, alignment);
    while (burst.size() != count) {
        const std::size_t run = core::min(contiguous, count - burst.size());
        const std::size_t run_bytes = run * block_bytes;
        if (!space_.widen_remainder(run_bytes) && !(space_.settle() && space_.widen_remainder(run_bytes))) {
            rooms_.add_room_for(space_, run_bytes, false);
        }
        space_.carve_many(burst, block_bytes, burst.size() + run,
                          [bytes](void* p) { core::unpoison(p, bytes); });
    }
    return burst.finish();
}

template <class Rooms, class Links>
block_chain heap_calls<Rooms, Links>::allocate_many(std::span<const std::size_t> sizes,
                                                    std::size_t alignment) {
    core::unfinished_burst burst(*this, sizeof(void*), alignment);
    std::size_t sum = 0;
    for (const std::size_t bytes : sizes) {
        sum += core::min(bytes, most_carved_bytes) + heap_block::least_bytes;
    }
    if (sum <= most_carved_bytes && sum > space_.remainder_bytes()) {
        space_.refill_remainder(sum, sum);
    }
    for (const std::size_t requested : sizes) {
        const std::size_t bytes = core::max(requested, sizeof(void*));
        heap_block b;
        if (alignment <= heap_block::granule_bytes && bytes <= most_carved_bytes) {
            b = space_.take_from_remainder(space_type::block_bytes_for(bytes));
        }
        burst.add(b ? hand_out(b.payload(), bytes) : allocate(bytes, alignment));
    }
    return burst.finish();
}

}} // namespace mallard::space::MALLARD_MODE
