/// A pool for objects of a few bytes, down to one.
///
///     class        0  1  2  3  4   5   6       17
///     block size   1  2  4  8  12  16  20 ...  64          4 bytes apart from 4 on
///
///     slots_[5] -> the block freed last    (impl/slab/recent_slots.hpp)
///               -> slabs of blocks of 16 bytes, with a bit for each block    (impl/slab/supply.hpp)
///     larger_   -> blocks above 64 bytes, or at a stricter alignment: a multipool (local/multipool.hpp)
///
/// Data model: a pool for each size. Blocks have no headers. The pool keeps one bit for each, and finds it from
/// the address by masking and a quotient (impl/slab/geometry.hpp). So an object of one byte takes little more than a
/// byte, freeing takes constant time in any order and does not touch the object, and a chunk that becomes empty
/// goes back to the upstream. The block freed last is reused first, then the free block at the lowest address. A size
/// gets its geometry with its first object, so that a pool that lives briefly costs no more than what it uses.
///
/// Bound: of each size in use, only the chunk that was taken last may have slabs that were never used. An empty
/// chunk is kept only if it is no larger than the first one, or than an eighth of that size's memory. The block
/// freed last may keep one more chunk, until the next deallocation of that size or trim(), while objects of that
/// size are in use. Larger blocks are reused by size class, and their chunks stay until release(), or until trim() if
/// none of them is in use.
/// Invariant: objects lie at multiples of the largest power of two that divides their block size.
///
/// Source: A. Alexandrescu, "Modern C++ Design" (2001), chapter 4, for the task; the method differs.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/checking/by_default.hpp>
#include <mallard/impl/slab/address_heap.hpp>
#include <mallard/impl/slab/bitmap_slots.hpp>
#include <mallard/impl/slab/geometry.hpp>
#include <mallard/impl/slab/recent_slots.hpp>
#include <mallard/local/fwd.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace mallard::local { inline namespace MALLARD_MODE {

/// The size classes of small objects.
struct small_classes {
    static constexpr std::size_t largest_bytes = 64;
    static constexpr std::size_t count = largest_bytes / 4 + 2;

    /// Returns: the class that serves a request; `count` if none does.
    /// Requires: `alignment` is a power of two.
    [[nodiscard]] static constexpr std::size_t index(std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes > largest_bytes || alignment > largest_bytes) {
            return count;
        }
        const std::size_t rounded = core::align_up(core::max<std::size_t>(bytes, 1), alignment);
        return rounded > 2 ? (rounded + 3) / 4 + 1 : rounded - 1;
    }

    [[nodiscard]] static constexpr std::size_t bytes(std::size_t index) noexcept {
        return index < 2 ? index + 1 : (index - 1) * 4;
    }
};

}} // namespace mallard::local::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

struct small_object_pool_options {
    /// The size of every slab: a power of two from 4 KiB to 64 MiB. Other numbers are rounded up, or down to the
    /// largest. 0 lets the pool choose by the size of the objects.
    std::size_t slab_bytes = 0;
    /// The first chunk of a class: at most this, at least a slab. Each next one doubles, up to the largest.
    std::size_t first_chunk_bytes = std::size_t{64} << 10;
    std::size_t largest_chunk_bytes = std::size_t{2} << 20;
};

}} // namespace mallard::MALLARD_MODE

namespace mallard::unchecked { inline namespace MALLARD_MODE {

/// Not thread-safe; neither copied nor moved, because bound containers point to it.
template <upstream Upstream>
class small_object_pool {
public:
    using upstream_type = Upstream;

    /// Effects: makes an allocator that asks for nothing until its first request: in static storage a constant (constinit).
    explicit constexpr small_object_pool(small_object_pool_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : options_(options) {}

    /// Requires: `source` outlives the allocator.
    explicit constexpr small_object_pool(core::upstream_argument<Upstream> source,
                                         small_object_pool_options options = {}) noexcept
        : larger_(source), options_(options), upstream_(source) {}

    small_object_pool(const small_object_pool&) = delete;
    small_object_pool& operator=(const small_object_pool&) = delete;

    ~small_object_pool() { release(); }

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`. Zero bytes get a block of one. Requests
    /// above 64 bytes, or at a stricter alignment, get a block of the multipool.
    /// Throws: std::bad_alloc, or the upstream's exceptions; the allocator is unchanged then.
    /// Complexity: constant on average, apart from calls upstream and, once in some thousand objects, the choice
    /// of a slab, which is logarithmic in their number.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const std::size_t index = local::small_classes::index(bytes, alignment);
        if (is_open(index)) [[likely]] {
            if (void* const block = slots_.by_class[index].pop()) [[likely]] {
                hand_out(block, bytes);
                return block;
            }
        }
        return allocate_slowly<false>(bytes, alignment);
    }

    /// Returns: the result of allocate(); null, with no effect, if there is no memory (nothrow_upstream).
    /// Complexity: that of allocate().
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const std::size_t index = local::small_classes::index(bytes, alignment);
        if (is_open(index)) [[likely]] {
            if (void* const block = slots_.by_class[index].pop()) [[likely]] {
                hand_out(block, bytes);
                return block;
            }
        }
        return allocate_slowly<true>(bytes, alignment);
    }

    /// Returns: a block of at least `bytes` bytes, and their number: the size of the class, or that of the multipool's.
    /// Throws: the exceptions of allocate().
    /// Complexity: that of allocate().
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment) {
        const std::size_t index = local::small_classes::index(bytes, alignment);
        if (index == local::small_classes::count) {
            const sized_block block = larger_.allocate_at_least(bytes, alignment);
            ++larger_in_use_;
            return block;
        }
        const std::size_t more = local::small_classes::bytes(index);
        return {allocate(more, alignment), more};
    }

    /// Effects: makes the block free. A chunk that becomes empty goes back to the upstream.
    /// Requires: `p` came from allocate(bytes, alignment) of this allocator and was not deallocated since. If it came from
    /// allocate_at_least(), `bytes` is any number from those requested to those returned.
    /// Complexity: constant on average, apart from calls upstream.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        core::expect_usable(p);
        const std::size_t index = local::small_classes::index(bytes, alignment);
        if (index < local::small_classes::count) [[likely]] {
            slots_.by_class[index].push(p, upstream_.get());
        } else {
            deallocate_larger(p, bytes, alignment);
        }
    }

    /// Returns: `count` blocks.
    /// Throws: refused_request if `bytes` is less than the size of a pointer; the exceptions of allocate(). No
    /// block is lost; a chunk that was taken for the burst may stay.
    /// Complexity: linear in the blocks.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        core::expect_possible_burst(bytes, alignment, count);
        const std::size_t index = local::small_classes::index(bytes, alignment);
        if (index == local::small_classes::count) {
            block_chain blocks = larger_.allocate_many(bytes, alignment, count);
            larger_in_use_ += count;
            return blocks;
        }
        open(index);
        return slab::pop_chain(slots_.by_class[index], count, upstream_.get());
    }

    /// Effects: makes all blocks of the chain free.
    /// Requires: each came from this allocator, of this size and alignment.
    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t index = local::small_classes::index(bytes, alignment);
        if (index < local::small_classes::count) {
            slots_.by_class[index].push_many(std::move(blocks), upstream_.get());
            return;
        }
        larger_in_use_ -= blocks.size();
        larger_.deallocate_many(std::move(blocks), bytes, alignment);
    }

    /// Effects: gives the empty chunks that were kept back to the upstream, and the chunks of larger blocks if none of
    /// these is in use.
    /// Complexity: linear in the chunks.
    void trim() noexcept {
        for_each_open(slots_.by_class, [&](slots_type& slots) { slots.trim(upstream_.get()); });
        if (larger_in_use_ == 0) {
            larger_.release();
        }
    }

    /// Effects: returns all memory to the upstream, and invalidates all blocks.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: linear in the chunks and in the blocks above the largest pooled size.
    void release() noexcept {
        for_each_open(slots_.by_class, [&](slots_type& slots) { slots.release(upstream_.get()); });
        larger_.release();
        larger_in_use_ = 0;
    }

    /// Returns: the largest size that the multipool serves from its chunks; larger requests go straight upstream.
    [[nodiscard]] std::size_t largest_pooled_bytes() const noexcept { return larger_.largest_pooled_bytes(); }

    /// Returns: true if `p` lies in the memory of this allocator, in a block or free.
    /// Complexity: linear in the chunks.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        bool owned = larger_.owns(p);
        for_each_open(slots_.by_class, [&](const slots_type& slots) { owned = owned || slots.owns(p); });
        return owned;
    }

    /// Complexity: linear in the chunks of larger blocks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        allocator_stats sum = larger_.stats();
        for_each_open(slots_.by_class, [&](const slots_type& slots) {
            sum.chunks += slots.chunks();
            sum.chunk_bytes += slots.chunk_bytes();
            sum.upstream_calls += slots.grants();
        });
        return sum;
    }

private:
    using slots_type = slab::recent_slots<slab::bitmap_slots<slab::address_heap<slab::slab_header>>>;

    /// Slots of a class are constructed with its first object. They have no destructor. A byte is initialised, so that a pool
    /// in static storage is a constant.
    union unopened_slots {
        constexpr unopened_slots() noexcept : nothing() {}
        std::byte nothing;
        std::array<slots_type, local::small_classes::count> by_class;
    };
    static_assert(std::is_trivially_destructible_v<slots_type>);

    static constexpr std::size_t least_slab_bytes = 4096;
    static constexpr std::size_t most_slab_bytes = std::size_t{64} << 20;

    /// If bits take much of a slab, slabs are large enough for bits in separate pages.
    static constexpr std::size_t choose_slab_bytes(std::size_t index, std::size_t wanted) noexcept {
        constexpr std::size_t default_bytes = std::size_t{64} << 10;
        constexpr std::size_t largest = std::size_t{512} << 10;
        const std::size_t bytes = local::small_classes::bytes(index);
        if (wanted != 0) {
            return std::bit_ceil(core::clamp(wanted, least_slab_bytes, most_slab_bytes));
        }
        const bool of_pages = bytes >= 4 && bytes <= 20;
        return of_pages ? core::min(std::bit_ceil(bytes << 15), largest) : default_bytes;
    }

    [[nodiscard]] bool is_open(std::size_t index) const noexcept {
        return (open_ & std::uint32_t{1} << index) != 0;
    }

    /// Effects: constructs the slots of class `index`, unless there are some.
    void open(std::size_t index) noexcept {
        if (is_open(index)) {
            return;
        }
        open_ |= std::uint32_t{1} << index;
        const std::size_t slab_bytes = choose_slab_bytes(index, options_.slab_bytes);
        const auto slabs = [shift = std::countr_zero(slab_bytes)](std::size_t chunk_bytes) {
            return static_cast<std::uint32_t>(
                core::clamp<std::size_t>(chunk_bytes >> shift, 1, slab::most_chunk_slabs));
        };
        const std::uint32_t largest = slabs(options_.largest_chunk_bytes);
        const std::uint32_t first = core::min(slabs(options_.first_chunk_bytes), largest);
        std::construct_at(&slots_.by_class[index],
                          slab::undivided_slabs(local::small_classes::bytes(index), slab_bytes),
                          slab::chunk_policy{.first_slabs = first,
                                             .largest_slabs = largest,
                                             .spare_bytes = first * slab_bytes,
                                             .spares_an_eighth = true});
    }

    template <class Slots, class Use>
    void for_each_open(Slots& slots, Use use) const noexcept {
        for (std::uint32_t remaining = open_; remaining != 0; remaining &= remaining - 1) {
            use(slots[static_cast<std::size_t>(std::countr_zero(remaining))]);
        }
    }

    /// The bytes that rounding up to a class adds stay poisoned.
    static void hand_out(void* block, std::size_t bytes) noexcept {
        core::unpoison(block, core::max<std::size_t>(bytes, 1));
    }

    /// Returns: a larger block, or one of a class without a free slot; null if `Quiet` and there is no memory.
    template <bool Quiet>
    [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment) {
        const std::size_t index = local::small_classes::index(bytes, alignment);
        if (index < local::small_classes::count) {
            return allocate_of_new_chunk<Quiet>(index, bytes);
        }
        void* const block =
            Quiet ? larger_.try_allocate(bytes, alignment) : larger_.allocate(bytes, alignment);
        larger_in_use_ += static_cast<std::size_t>(block != nullptr);
        return block;
    }

    template <bool Quiet>
    [[gnu::cold, gnu::noinline]] void* allocate_of_new_chunk(std::size_t index, std::size_t bytes);

    [[gnu::noinline]] void deallocate_larger(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        --larger_in_use_;
        larger_.deallocate(p, bytes, alignment);
    }

    std::uint32_t open_ = 0; ///< a bit for each class with slots
    unopened_slots slots_;
    std::size_t larger_in_use_ = 0;
    multipool<Upstream, hybrid_order, eighth_classes> larger_;
    small_object_pool_options options_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<Upstream> upstream_;
};

template <upstream Upstream>
template <bool Quiet>
void* small_object_pool<Upstream>::allocate_of_new_chunk(std::size_t index, std::size_t bytes) {
    open(index);
    if (!slots_.by_class[index].grow(core::source_from<Quiet>(upstream_))) {
        return nullptr;
    }
    void* const block = slots_.by_class[index].pop();
    hand_out(block, bytes);
    return block;
}

}} // namespace mallard::unchecked::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <upstream Upstream>
class small_object_pool : public checking::by_default<unchecked::small_object_pool<Upstream>> {
    using base = checking::by_default<unchecked::small_object_pool<Upstream>>;

public:
    using upstream_type = Upstream;
    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr small_object_pool() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...> && (!std::is_constructible_v<base, First, Args...>)
    small_object_pool(First&&, Args&&...) = delete; // sizes stand in its options

    template <core::foreign_upstream<small_object_pool> Source, class... Args>
        requires(!std::is_constructible_v<base, Source&, Args...>)
    small_object_pool(Source&, Args&&...) = delete; // its type names the upstream: omit the <>

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // std::pmr takes the address of a mallard::resource
};

// One for each constructor, because nothing is deduced from inherited constructors.
small_object_pool(small_object_pool_options = {}) -> small_object_pool<>;
template <upstream Upstream>
small_object_pool(Upstream&, small_object_pool_options = {}) -> small_object_pool<Upstream>;
template <upstream_reference Reference>
small_object_pool(const Reference&, small_object_pool_options = {}) -> small_object_pool<Reference>;

static_assert(local_allocator<small_object_pool<>>);
static_assert(burst_allocator<small_object_pool<>>);

}} // namespace mallard::MALLARD_MODE
