/// A heap in a fixed region of the caller's: in static storage, in a file, in memory that processes share.
///
///     region:  [ books | word | block | word | block | ... | remainder ............ | word ]
///              ^ the region_heap itself                                               ^ region_bytes()
///
///     alignas(16) static std::byte memory[64 << 10];
///     mallard::region_heap<>& heap = mallard::region_heap<>::create_in(memory);
///
/// Data model: as local/heap.hpp with one room, and all in one place: the books lie at the begin of the region,
/// and everything in it is found by distances, so that the region may be mapped at another address in each
/// process that uses it, and be written to a file and read again. Large blocks lie in the region like others. The
/// region can grow at its end, and give up what is free there.
///
/// Threads and processes: not safe by itself; a lock that lies in the region, too, is the caller's.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1 (size-limited
/// and shared memory).
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/space/heap_calls.hpp>
#include <mallard/space/heap_sanity.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace mallard::inline MALLARD_MODE {

template <std::size_t Granule = fundamental_alignment>
class region_heap : public space::heap_calls<region_heap<Granule>, space::relative_links, Granule> {
    using calls = space::heap_calls<region_heap, space::relative_links, Granule>;
    friend calls;
    friend typename calls::walks;
    using calls::space_;
    using typename calls::space_type;

public:
    static constexpr bool has_reserved_blocks = false;

    /// Effects: makes a heap of the region. Nothing has to be destroyed: the region is the caller's again as soon as
    /// nobody uses a block of it, or by give_up().
    /// Returns: the heap, which lies at the begin of the region.
    /// Throws: refused_request where the region is shorter than least_region_bytes() or does not begin at a multiple
    /// of fundamental_alignment.
    static region_heap& create_in(std::span<std::byte> region) {
        if (region.size() < least_region_bytes() || !core::is_aligned(region.data(), fundamental_alignment)) {
            core::refuse_region(region.data(), region.size(), least_region_bytes(), fundamental_alignment);
        }
        return *::new (region.data()) region_heap(usable_length(region.size()));
    }

    /// Returns: the heap that was made in the region that begins at `region`, by this process or another one, at
    /// this address or another one.
    /// Throws: refused_request where there is none, or one of another granule or another version of mallard.
    static region_heap& open_in(void* region) {
        auto* const there = static_cast<region_heap*>(region);
        if (!core::is_aligned(region, fundamental_alignment) || there->signature_ != signature) {
            core::refuse_foreign_region(region);
        }
        return *there;
    }

    /// Returns: what a region has to have, for one smallest block.
    [[nodiscard]] static constexpr std::size_t least_region_bytes() noexcept {
        return books_bytes + space::heap_block::least_bytes + space_type::end_bytes;
    }

    /// Effects: ends all blocks.
    /// Requires: what lies over this allocator was released before, or is never used again.
    /// Complexity: constant.
    void release() noexcept {
        space_.clear();
        core::poison(first(), region_bytes_ - books_bytes);
        space_.add_room(first(), region_bytes_ - books_bytes);
    }

    /// Effects: makes the `more_bytes` bytes behind the region a part of it, down to a multiple of 16; none where
    /// they are too few for a block, or more than there can be.
    /// Returns: the bytes that the region has now.
    /// Requires: they are the caller's, and mapped behind it wherever the region is.
    std::size_t grow(std::size_t more_bytes) noexcept {
        const std::size_t more = core::align_down(more_bytes, fundamental_alignment);
        if (more >= space::heap_block::least_bytes && more <= most_region_bytes - region_bytes_) {
            core::poison(reinterpret_cast<std::byte*>(this) + region_bytes_, more);
            space_.extend_room(end(), more);
            set_region_bytes(region_bytes_ + more);
        }
        return region_bytes_;
    }

    /// Effects: gives up what is free at the end of the region.
    /// Returns: the bytes that it has now; what lies behind them is the caller's.
    std::size_t shrink_to_fit() noexcept {
        const std::size_t given = space_.cut_room(
            end(), region_bytes_ - core::align_up(least_region_bytes(), fundamental_alignment));
        set_region_bytes(region_bytes_ - given);
        core::unpoison(reinterpret_cast<std::byte*>(this) + region_bytes_, given);
        return region_bytes_;
    }

    /// Effects: ends the heap; its blocks are gone.
    /// Returns: the region, which is the caller's again: under AddressSanitizer, too.
    std::span<std::byte> give_up() noexcept {
        const std::span<std::byte> region(reinterpret_cast<std::byte*>(this), region_bytes_);
        signature_ = 0;
        core::unpoison(region.data(), region.size());
        return region;
    }

    /// Returns: the length of the region, from the heap itself on.
    [[nodiscard]] std::size_t region_bytes() const noexcept { return region_bytes_; }

    /// Returns: the region as one chunk.
    [[nodiscard]] allocator_stats stats() const noexcept {
        return {.chunks = 1, .chunk_bytes = region_bytes_};
    }

private:
    static constexpr std::uint64_t signature = 0x6d61'6c6c'6172'6402 + Granule; ///< "mallard", layout 2
    static constexpr std::size_t books_bytes_unaligned = sizeof(calls) + 3 * sizeof(std::uint64_t);
    static constexpr std::size_t most_region_bytes = PTRDIFF_MAX;
    /// Up to the word of the first block.
    static constexpr std::size_t books_bytes =
        core::align_up(books_bytes_unaligned + space::heap_block::tag_bytes, fundamental_alignment) -
        space::heap_block::tag_bytes;

    explicit region_heap(std::size_t bytes) noexcept : region_bytes_(bytes), not_region_bytes_(~bytes) {
        static_assert(sizeof(region_heap) == books_bytes_unaligned && sizeof(region_heap) <= books_bytes);
        release();
    }
    ~region_heap() = default;

    static constexpr std::size_t usable_length(std::size_t bytes) noexcept {
        return core::align_down(bytes, fundamental_alignment);
    }

    [[nodiscard]] std::byte* first() noexcept { return reinterpret_cast<std::byte*>(this) + books_bytes; }
    [[nodiscard]] std::byte* end() noexcept {
        return reinterpret_cast<std::byte*>(this) + region_bytes_ - space_type::end_bytes;
    }

    static bool add_room_for(std::size_t block_bytes, bool quiet) {
        if (!quiet) {
            core::fail_allocation(block_bytes, Granule);
        }
        return false;
    }

    void set_region_bytes(std::size_t bytes) noexcept {
        region_bytes_ = bytes;
        not_region_bytes_ = ~region_bytes_;
    }

    [[nodiscard]] heap_sanity damaged_metadata() const noexcept {
        if (region_bytes_ != ~not_region_bytes_) {
            return {"the length of the region is damaged", nullptr};
        }
        return {signature_ == signature ? nullptr : "the signature of the region is damaged", nullptr};
    }

    template <class F>
    bool each_room(F f) const {
        auto& self = const_cast<region_heap&>(*this);
        return f(self.first(), self.end());
    }

    [[nodiscard]] std::size_t held_bytes() const noexcept { return region_bytes_; }

    std::uint64_t signature_ = signature;
    std::uint64_t region_bytes_;
    std::uint64_t not_region_bytes_; ///< its complement: whether somebody has written over it
};

static_assert(local_allocator<region_heap<>> && burst_allocator<region_heap<>> && expandable<region_heap<>>);

} // namespace mallard::inline MALLARD_MODE
