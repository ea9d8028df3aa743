/// The multipool: blocks of many sizes from shared chunks, reused by size class.
///
///     chunk:  [h| 24 | 24 | 520 | 24 | ... | free ............ ]     blocks in the order of the requests
///                                          ^ cursor_           ^ limit_
///     free_:  the free blocks of each size class, in the order of their reuse
///
/// Data model: one pool a size class (core/size_classes.hpp), but all pools carve from the same chunk, so
/// that blocks that are asked for together lie together, and an allocator that makes a few blocks needs one
/// small chunk. No block has a header: deallocate() is told the size. Requests above the largest pooled size
/// go straight upstream and are remembered, so that release() returns them too. What a chunk has left when it
/// is too short for a request becomes a free block. Which of the free blocks of a class is used next is a
/// parameter (core/reuse.hpp).
/// Invariants: cursor_ and limit_ are multiples of 8; blocks whose size is a multiple of 16 lie at multiples
/// of 16.
///
/// Source: P0089R1, section 3 ("adaptive pools"); P0213R0, section 5.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/chunk_list.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/first_freed.hpp>
#include <mallard/core/last_freed.hpp>
#include <mallard/core/reuse.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/size_classes.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/tracked_list.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/local/growth.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <algorithm>
#include <cstdint>

namespace mallard {

struct multipool_options {
    /// Larger requests go straight upstream. At least 8, at most 2^30.
    std::size_t largest_pooled_bytes = std::size_t{32} << 10;
    chunk_growth growth{};
};

/// Not thread-safe; neither copied nor moved, because what it made points to it.
template <upstream Upstream = chunk_cache, reuse_order Reuse = last_freed>
class multipool {
public:
    /// Effects: makes an allocator that asks for nothing until its first request.
    explicit multipool(multipool_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : next_(options.growth), classes_(class_count(options)) {}

    /// Requires: `source` outlives the allocator.
    explicit multipool(Upstream& source, multipool_options options = {}) noexcept
        : upstream_(source), next_(options.growth), classes_(class_count(options)) {}

    multipool(const multipool&) = delete;
    multipool& operator=(const multipool&) = delete;

    ~multipool() { release(); }

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`. Zero bytes get a block of eight.
    /// Throws: std::bad_alloc, or what the upstream throws; the allocator is then as it was.
    /// Complexity: constant, but for the calls upstream.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (alignment > fundamental_alignment) [[unlikely]] {
            return allocate_over_aligned(bytes, alignment);
        }
        const std::size_t index = size_class(bytes, alignment);
        if (void* block = free_.pop(index)) {
            hand_out(block, bytes);
            return block;
        }
        if (index < classes_) [[likely]] {
            if (void* block = free_.carve(cursor_, limit_, index)) [[likely]] {
                hand_out(block, bytes);
                return block;
            }
        }
        return allocate_slowly(bytes, alignment);
    }

    /// Effects: makes the block free for requests of its size class.
    /// Requires: `p` came from allocate(bytes, alignment) of this allocator and was not deallocated since.
    /// Complexity: constant.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        expect_usable(p);
        if (alignment > fundamental_alignment) [[unlikely]] {
            deallocate_over_aligned(p, bytes, alignment);
            return;
        }
        if (!free_.push(p, size_class(bytes, alignment))) [[unlikely]] {
            deallocate_slowly(p, bytes, alignment);
        }
    }

    /// Effects: gives all memory back to the upstream; all blocks are gone.
    /// Complexity: linear in the chunks and in the blocks above the largest pooled size.
    void release() noexcept {
        free_.clear();
        cursor_ = limit_ = nullptr;
        direct_.release(upstream_.get());
        chunks_.release(upstream_.get());
        next_.restart();
    }

    [[nodiscard]] std::size_t largest_pooled_bytes() const noexcept { return class_bytes(classes_ - 1U); }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        return {.chunks = chunks_.count(),
                .chunk_bytes = chunks_.bytes(),
                .direct_blocks = direct_.count(),
                .direct_bytes = direct_.bytes(),
                .spills = 0,
                .upstream_calls = upstream_calls_};
    }

private:
    static constexpr std::uint16_t class_count(const multipool_options& options) noexcept {
        MALLARD_EXPECTS(options.largest_pooled_bytes >= 8 && options.largest_pooled_bytes <= std::size_t{1}
                                                                                                 << 30);
        return static_cast<std::uint16_t>(size_class(options.largest_pooled_bytes) + 1);
    }

    /// What rounding up to a class adds stays poisoned, but for one byte, by which a second deallocation is
    /// known.
    static void hand_out(void* block, std::size_t bytes) noexcept {
        unpoison(block, std::max<std::size_t>(bytes, 1));
    }

    /// Over-aligned blocks hold the address of the pool's block in front of the caller's.
    static constexpr std::size_t over_aligned_bytes(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t sum = std::max<std::size_t>(bytes, 1) + alignment;
        return sum < bytes ? SIZE_MAX : sum;
    }

    [[gnu::cold, gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment);
    [[gnu::cold, gnu::noinline]] void deallocate_slowly(void* p, std::size_t bytes,
                                                        std::size_t alignment) noexcept;
    [[gnu::cold, gnu::noinline]] void* allocate_over_aligned(std::size_t bytes, std::size_t alignment);
    [[gnu::cold, gnu::noinline]] void deallocate_over_aligned(void* p, std::size_t bytes,
                                                              std::size_t alignment) noexcept;

    [[no_unique_address]] Reuse free_; // lends its last four bytes to the next member
    std::uint32_t upstream_calls_ = 0;
    std::byte* cursor_ = nullptr;
    std::byte* limit_ = nullptr;
    chunk_list chunks_;
    tracked_list direct_;
    [[no_unique_address]] upstream_handle<Upstream> upstream_;
    next_chunk next_;
    std::uint16_t classes_;
};

multipool(multipool_options) -> multipool<>;
template <upstream Upstream>
multipool(Upstream&) -> multipool<Upstream>;
template <upstream Upstream>
multipool(Upstream&, multipool_options) -> multipool<Upstream>;

template <upstream Upstream, reuse_order Reuse>
void* multipool<Upstream, Reuse>::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    const std::size_t index = size_class(bytes, alignment);
    if (index >= classes_) {
        void* block = direct_.allocate(upstream_.get(), bytes, alignment);
        ++upstream_calls_;
        return block;
    }
    std::byte* const tail = cursor_;
    const auto tail_bytes = static_cast<std::size_t>(limit_ - cursor_);
    chunk* added = chunks_.grow(upstream_.get(), next_.bytes_for(free_.room_for(index) + sizeof(chunk)));
    next_.took(added->bytes);
    ++upstream_calls_;
    free_.donate(tail, tail_bytes, classes_);

    cursor_ = added->begin();
    limit_ = cursor_ + align_down(added->bytes - sizeof(chunk), 8);
    void* block = free_.carve(cursor_, limit_, index);
    hand_out(block, bytes);
    return block;
}

template <upstream Upstream, reuse_order Reuse>
void multipool<Upstream, Reuse>::deallocate_slowly(void* p, std::size_t bytes,
                                                   std::size_t alignment) noexcept {
    const std::size_t index = size_class(bytes, alignment);
    if (index < classes_) {
        free_.reach(p, index, classes_);
    } else {
        direct_.deallocate(upstream_.get(), p);
    }
}

template <upstream Upstream, reuse_order Reuse>
void* multipool<Upstream, Reuse>::allocate_over_aligned(std::size_t bytes, std::size_t alignment) {
    const std::size_t whole_bytes = over_aligned_bytes(bytes, alignment);
    auto* block = static_cast<std::byte*>(allocate(whole_bytes));
    std::byte* aligned = block + sizeof(void*);
    aligned += padding_to(aligned, alignment);
    *(reinterpret_cast<std::byte**>(aligned) - 1) = block;
    poison(aligned, static_cast<std::size_t>(block + whole_bytes - aligned));
    hand_out(aligned, bytes);
    return aligned;
}

template <upstream Upstream, reuse_order Reuse>
void multipool<Upstream, Reuse>::deallocate_over_aligned(void* p, std::size_t bytes,
                                                         std::size_t alignment) noexcept {
    std::byte* block = *(static_cast<std::byte**>(p) - 1);
    deallocate(block, over_aligned_bytes(bytes, alignment));
}

static_assert(local_allocator<multipool<>>);
static_assert(sizeof(multipool<>) < 64, "a program may have a million of them");

} // namespace mallard
