/// Rooms of memory, cut into blocks that are merged again with their neighbours when they are freed.
///
///     room:  [ used | used | free ...... | used | remainder .............. | end ]
///                            ^ in free_           ^ remainder_begin_        ^ a word: in use, 0 bytes
///
/// Data model: blocks side by side, each with a tag in front (impl/space/heap_block.hpp). Free blocks are in bins by
/// size (impl/space/segregated_fit.hpp), apart from one, the remainder: blocks that are requested together are cut off
/// its front, so that they lie together and cost a comparison and an addition. The remainder has no tag and no
/// links; a neighbour that is freed is compared with its address. Small requests take a block of exactly their
/// size, or the front of the remainder, or the best free block, whose rest becomes the remainder if it is larger.
/// Large requests take the best free block first.
///
/// Invariants: no two free blocks, the remainder included, are neighbours. The remainder is null, or has at least
/// the bytes of the smallest block. The tag behind it has previous_in_use set.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/segregated_fit.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard::space { inline namespace MALLARD_MODE {

template <class Links>
class coalescing_space {
public:
    using bins_type = segregated_fit<Links>;

    static constexpr std::size_t exact_bytes = bins_type::exact_bytes;
    /// Larger requests are refused, so that no sum of sizes wraps.
    static constexpr std::size_t most_bytes = static_cast<std::size_t>(PTRDIFF_MAX) / 4;
    /// The bytes of a room besides those of a single block.
    static constexpr std::size_t end_bytes = heap_block::tag_bytes;

    coalescing_space() = default;
    coalescing_space(const coalescing_space&) = delete;
    coalescing_space& operator=(const coalescing_space&) = delete;

    /// Returns: the bytes of a block whose payload has `bytes`.
    /// Requires: `bytes` is at most most_bytes.
    [[nodiscard]] static constexpr std::size_t block_bytes_for(std::size_t bytes) noexcept {
        return core::max(heap_block::least_bytes,
                         core::align_up(bytes + heap_block::tag_bytes, heap_block::granule_bytes));
    }

    /// Returns: the bytes of a block that has room for one of `block_bytes` bytes at any multiple of `alignment`.
    [[nodiscard]] static constexpr std::size_t bytes_for_aligned(std::size_t block_bytes,
                                                                 std::size_t alignment) noexcept {
        return alignment <= heap_block::granule_bytes ? block_bytes
                                                      : block_bytes + alignment + heap_block::least_bytes;
    }

    /// Effects: makes [begin, begin + bytes) a room, and its memory for blocks the remainder.
    /// Requires: `begin` is a word below a multiple of the granule; `bytes` is a multiple of the granule and a
    /// word more, and holds the smallest block and end_bytes.
    void add_room(std::byte* begin, std::size_t bytes) noexcept {
        retire_remainder();
        heap_block(begin + bytes - end_bytes).set_tag(heap_block::in_use | heap_block::previous_in_use);
        set_remainder(begin, begin + bytes - end_bytes);
    }

    /// Effects: makes the room with its last tag at `end` longer by `more` free bytes.
    /// Requires: `more` is a multiple of the granule and at least a smallest block.
    void extend_room(std::byte* end, std::size_t more) noexcept {
        const heap_block last(end);
        const std::size_t flag = last.tag() & heap_block::previous_in_use;
        heap_block(end + more).set_tag(heap_block::in_use | heap_block::previous_in_use);
        if (end == remainder_end()) {
            set_remainder_end(end + more);
            return;
        }
        last.set_tag(more | heap_block::in_use | flag);
        give(last, more);
    }

    /// Effects: makes the room with its last tag at `end` shorter by the free memory at its end, at most `most`
    /// bytes, less a smallest block if the rest would be shorter than that.
    /// Returns: the bytes that were cut off, a multiple of 16.
    std::size_t cut_room(std::byte* end, std::size_t most) noexcept {
        const heap_block last(end);
        if (end != remainder_end()) {
            if (last.is(heap_block::previous_in_use)) {
                return 0;
            }
            const heap_block b = last.previous();
            const std::size_t bytes = b.bytes();
            free_.remove(b, bytes);
            retire_remainder();
            last.set(heap_block::previous_in_use);
            set_remainder(b.begin(), end);
        }
        const std::size_t available = remainder_bytes();
        std::size_t cut = core::align_down(core::min(available, most), 16);
        if (cut != available && available - cut < heap_block::least_bytes) {
            cut = core::align_down(available - heap_block::least_bytes, 16);
        }
        heap_block(end - cut).set_tag(heap_block::in_use | heap_block::previous_in_use);
        if (cut == available) {
            set_remainder(nullptr, nullptr);
        } else {
            set_remainder_end(end - cut);
        }
        return cut;
    }

    /// Effects: brings the free blocks of each size into the order of addresses. The remainder is not among them.
    void sort_free_blocks() noexcept { free_.sort(); }

    /// Effects: forgets all rooms.
    void clear() noexcept {
        free_.clear();
        set_remainder(nullptr, nullptr);
    }

    /// Returns: a block of `bytes` bytes in use; null if there is none.
    /// Requires: `bytes` comes from block_bytes_for() and is below exact_bytes.
    [[nodiscard]] heap_block take_small(std::size_t bytes) noexcept {
        if (const heap_block b = free_.first_in_bin(bytes)) {
            free_.remove_first(b, bytes);
            b.set_tag(bytes | heap_block::in_use | heap_block::previous_in_use);
            b.behind(bytes).set(heap_block::previous_in_use);
            return b;
        }
        return take_from_remainder(bytes);
    }

    /// Returns: a block of at least `bytes` bytes in use, off the front of the remainder; null if that is
    /// shorter.
    [[nodiscard]] heap_block take_from_remainder(std::size_t bytes) noexcept {
        std::byte* const begin = remainder_begin();
        const auto room = static_cast<std::size_t>(remainder_end() - begin);
        if (room < bytes + heap_block::least_bytes) [[unlikely]] {
            return take_all_of_remainder(bytes);
        }
        set_remainder_begin(begin + bytes);
        const heap_block b(begin);
        b.set_tag(bytes | heap_block::in_use | heap_block::previous_in_use);
        return b;
    }

    /// Returns: a block of `bytes` bytes, of any size, in use; null if there is none.
    [[nodiscard]] heap_block take(std::size_t bytes) noexcept {
        if (bytes < exact_bytes) {
            if (const heap_block b = take_small(bytes)) {
                return b;
            }
        }
        if (!free_.empty()) {
            if (const heap_block b = free_.find(bytes)) {
                const std::size_t had = b.bytes();
                free_.remove(b, had);
                cut(b, had, bytes);
                return b;
            }
        }
        return bytes < exact_bytes ? heap_block() : take_from_remainder(bytes);
    }

    /// Returns: a block in use, of `bytes` bytes with its tag, whose payload is at a multiple of `alignment`;
    /// null if no room has bytes_for_aligned().
    /// Complexity: constant.
    [[nodiscard]] heap_block take_aligned(std::size_t bytes, std::size_t alignment) noexcept {
        const heap_block padded = take(bytes_for_aligned(bytes, alignment));
        if (!padded) {
            return {};
        }
        std::size_t front = core::padding_to(padded.payload(), alignment);
        while (front != 0 && front < heap_block::least_bytes) {
            front += alignment;
        }
        heap_block b = padded;
        if (front != 0) {
            b = padded.behind(front);
            b.set_tag((padded.bytes() - front) | heap_block::in_use | heap_block::previous_in_use);
            padded.set_bytes(front);
            give(padded);
        }
        shrink(b, bytes);
        return b;
    }

    /// Effects: makes `b` free and merges it with its free neighbours.
    /// Complexity: constant.
    void give(heap_block b) noexcept { give(b, b.bytes()); }

    /// Effects: makes adjacent blocks free that begin with `b` and have `bytes` bytes together.
    void give(heap_block b, std::size_t bytes) noexcept {
        const heap_block next = b.behind(bytes);
        if (b.begin() == remainder_end() && next.is(heap_block::in_use)) {
            set_remainder_end(next.begin());
        } else if (next.begin() == remainder_begin() && b.is(heap_block::previous_in_use)) {
            set_remainder_begin(b.begin());
        } else {
            merge(b, bytes, next);
        }
    }

    /// Effects: cuts off the bytes of `b` beyond `bytes`, if they are usable.
    /// Requires: `bytes` comes from block_bytes_for(), and is at most the size of `b`.
    /// Returns: the bytes that `b` has now.
    std::size_t shrink(heap_block b, std::size_t bytes) noexcept {
        const std::size_t had = b.bytes();
        const heap_block next = b.behind(had);
        if (shrunk_bytes(b, bytes) == had) {
            return had;
        }
        if (next.begin() == remainder_begin()) {
            b.set_bytes(bytes);
            set_remainder_begin(b.begin() + bytes);
            return bytes;
        }
        std::size_t free_bytes = had - bytes;
        heap_block behind = next;
        if (!next.is(heap_block::in_use)) {
            free_bytes += next.bytes();
            free_.remove(next, next.bytes());
            behind = next.behind(next.bytes());
        }
        b.set_bytes(bytes);
        behind.clear(heap_block::previous_in_use);
        free_.insert(b.behind(bytes), free_bytes);
        return bytes;
    }

    /// Returns: the bytes that shrink() would leave `b`.
    /// Requires: as shrink().
    [[nodiscard]] std::size_t shrunk_bytes(heap_block b, std::size_t bytes) const noexcept {
        const std::size_t had = b.bytes();
        const heap_block next = b.behind(had);
        const bool is_too_short = had - bytes < heap_block::least_bytes &&
                                  next.begin() != remainder_begin() && next.is(heap_block::in_use);
        return is_too_short ? had : bytes;
    }

    [[nodiscard]] std::byte* remainder_begin() const noexcept {
        return Links::load(reinterpret_cast<const std::byte*>(&remainder_begin_)).begin();
    }
    [[nodiscard]] std::byte* remainder_end() const noexcept {
        return Links::load(reinterpret_cast<const std::byte*>(&remainder_end_)).begin();
    }
    [[nodiscard]] std::size_t remainder_bytes() const noexcept {
        return static_cast<std::size_t>(remainder_end() - remainder_begin());
    }

    [[nodiscard]] const bins_type& bins() const noexcept { return free_; }

    /// Returns: the bytes of `b`, a block or the remainder, if they can be true in a room that ends at `end`;
    /// otherwise 0, so that a walk neither leaves the room nor stands still.
    /// Requires: `b` lies in the room.
    [[nodiscard]] std::size_t credible_bytes(heap_block b, const std::byte* end) const noexcept {
        const std::size_t bytes = b.begin() == remainder_begin() ? remainder_bytes() : b.bytes();
        const bool credible = bytes >= heap_block::least_bytes && bytes % heap_block::granule_bytes == 0 &&
                              bytes <= static_cast<std::size_t>(end - b.begin());
        return credible ? bytes : 0;
    }

    /// Effects: makes the remainder an ordinary free block.
    void retire_remainder() noexcept {
        const std::size_t bytes = remainder_bytes();
        if (bytes != 0) {
            const heap_block b(remainder_begin());
            b.behind(bytes).clear(heap_block::previous_in_use);
            free_.insert(b, bytes);
            set_remainder(nullptr, nullptr);
        }
    }

    /// Effects: forgets the room from `begin` to `end`, the place of its last tag, if it is one free block.
    /// Returns: true if it was one free block.
    /// Requires: the remainder is retired.
    bool remove_room_if_free(std::byte* begin, const std::byte* end) noexcept {
        const heap_block b(begin);
        const auto room = static_cast<std::size_t>(end - begin);
        if (b.tag() != (room | heap_block::previous_in_use)) {
            return false;
        }
        free_.remove(b, room);
        return true;
    }

protected:
    ~coalescing_space() = default;

    void set_remainder(std::byte* begin, std::byte* end) noexcept {
        set_remainder_begin(begin);
        set_remainder_end(end);
    }
    void set_remainder_begin(std::byte* begin) noexcept {
        Links::store(reinterpret_cast<std::byte*>(&remainder_begin_), heap_block(begin));
    }
    void set_remainder_end(std::byte* end) noexcept {
        Links::store(reinterpret_cast<std::byte*>(&remainder_end_), heap_block(end));
    }

    /// Effects: makes `b`, which is free, in no bin, and of `bytes` bytes, the remainder; the old one becomes a
    /// free block.
    void replace_remainder(heap_block b, std::size_t bytes) noexcept {
        retire_remainder();
        b.behind(bytes).set(heap_block::previous_in_use);
        set_remainder(b.begin(), b.begin() + bytes);
    }

    bins_type free_;

private:
    /// From this size on, a free block that has grown becomes the remainder: the next block that is freed is
    /// often its neighbour, and joins a remainder by a comparison and a store.
    static constexpr std::size_t worth_being_remainder = 4096;

    /// Effects: makes the blocks up to `next` free if the remainder and a comparison are not enough. Not inlined,
    /// so that the callers' fast paths save no registers.
    [[gnu::noinline]] void merge(heap_block b, std::size_t bytes, heap_block next) noexcept {
        if (next.begin() == remainder_begin()) {
            const heap_block front = b.previous();
            free_.remove(front, front.bytes());
            set_remainder_begin(front.begin());
            return;
        }
        const std::size_t behind = next.tag();
        if (b.begin() == remainder_end()) {
            append_to_remainder(next, behind & ~heap_block::flags);
        } else if (!b.is(heap_block::previous_in_use)) {
            give_behind(b.previous(), bytes, next, behind);
        } else if ((behind & heap_block::in_use) == 0) {
            give_merged(b, bytes, next, behind & ~heap_block::flags);
        } else {
            b.expect_in_use(); // or it would be in its bin twice
            next.set_tag(behind & ~heap_block::previous_in_use);
            free_.insert(b, bytes);
        }
    }

    /// Effects: appends all up to `next`, and the free block `next` of `bytes` bytes, to the remainder in front.
    void append_to_remainder(heap_block next, std::size_t bytes) noexcept {
        free_.remove(next, bytes);
        const heap_block behind = next.behind(bytes);
        behind.set(heap_block::previous_in_use);
        set_remainder_end(behind.begin());
    }

    /// Effects: grows the free block `front` by `bytes` bytes up to `next`, whose tag is `behind`, and by `next`
    /// if that is free.
    void give_behind(heap_block front, std::size_t bytes, heap_block next, std::size_t behind) noexcept {
        const std::size_t front_bytes = front.bytes();
        std::size_t sum = front_bytes + bytes;
        if ((behind & heap_block::in_use) == 0) {
            free_.remove(next, behind & ~heap_block::flags);
            sum += behind & ~heap_block::flags;
        } else {
            next.set_tag(behind & ~heap_block::previous_in_use);
        }
        if (sum >= worth_being_remainder) {
            free_.remove(front, front_bytes);
            replace_remainder(front, sum);
        } else {
            free_.resize(front, front_bytes, sum);
        }
    }

    /// Effects: makes `b`, of `bytes` bytes, and the free block `next`, of `next_bytes` bytes, one free block.
    void give_merged(heap_block b, std::size_t bytes, heap_block next, std::size_t next_bytes) noexcept {
        const std::size_t sum = bytes + next_bytes;
        if (sum >= worth_being_remainder) {
            free_.remove(next, next_bytes);
            replace_remainder(b, sum);
        } else {
            free_.move(next, next_bytes, b, sum);
        }
    }

    /// Returns: the whole remainder as a block; null if it is too short for `bytes`.
    heap_block take_all_of_remainder(std::size_t bytes) noexcept {
        const std::size_t room = remainder_bytes();
        if (room < bytes || room == 0) {
            return {};
        }
        const heap_block b(remainder_begin());
        set_remainder(nullptr, nullptr);
        b.set_tag(room | heap_block::in_use | heap_block::previous_in_use);
        return b;
    }

    /// Effects: takes `bytes` of the free block `b`, which has `had` bytes, into use; the rest stays free.
    void cut(heap_block b, std::size_t had, std::size_t bytes) noexcept {
        const std::size_t excess = had - bytes;
        const heap_block behind = b.behind(had);
        if (excess < heap_block::least_bytes) {
            b.set_tag(had | heap_block::in_use | heap_block::previous_in_use);
            behind.set(heap_block::previous_in_use);
            return;
        }
        b.set_tag(bytes | heap_block::in_use | heap_block::previous_in_use);
        const heap_block tail = b.behind(bytes);
        if (bytes < exact_bytes && excess > remainder_bytes()) {
            replace_remainder(tail, excess);
        } else {
            free_.insert(tail, excess);
        }
    }

    std::size_t remainder_begin_ = 0;
    std::size_t remainder_end_ = 0;
};

}} // namespace mallard::space::MALLARD_MODE
