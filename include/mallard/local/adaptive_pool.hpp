/// A pool of nodes of one size that shrinks as it is emptied.
///
///     chunk:  [ slab | slab | slab | ... ]         slabs of nodes, with no gap between them
///     nodes_: the node freed last                              (impl/slab/recent_slots.hpp)
///             the slabs with free nodes, the fullest first     (impl/slab/fullness_buckets.hpp)
///     held_:  requests of other sizes: straight from the upstream
///
/// Data model: simple segregated storage cannot determine which of its chunks are empty, because nothing leads
/// from a node to its chunk. Here a slab lies at a multiple of its size, or is divided into sub-slabs that do
/// (impl/slab/geometry.hpp): masking the address of a node finds its slab, which counts its nodes. The node freed last
/// is the next one; then come those of the fuller slabs, so that the emptier ones become empty. A chunk of empty
/// slabs goes back to the upstream, apart from `most_free_slabs` of them.
///
/// The constructor fixes the size of the nodes, or else the first request of at most 1 KiB. Smaller requests get
/// a whole node. Larger ones, and those at a stricter alignment, go straight upstream.
///
/// Bound: the overhead of a slab is within `overhead_percent`. As long as nodes only come, one chunk has room
/// left, of at most 256 KiB or `most_free_slabs` slabs. At most `most_free_slabs` slabs of empty chunks are
/// held. The node freed last may keep one chunk more until the next deallocation or trim(): any chunk while nodes
/// are in use, afterwards one of a single slab, if `most_free_slabs` is 0.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 3.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/checking/by_default.hpp>
#include <mallard/impl/chunks/held_list.hpp>
#include <mallard/impl/slab/bitmap_slots.hpp>
#include <mallard/impl/slab/fullness_buckets.hpp>
#include <mallard/impl/slab/geometry.hpp>
#include <mallard/impl/slab/recent_slots.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/fwd.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

struct adaptive_pool_options {
    std::size_t nodes_a_slab = 256;  ///< at the least; from 1 to 65,536
    std::size_t most_free_slabs = 2; ///< that stay in an empty chunk instead of going back
    /// The most overhead of a slab, in percent of its nodes; at least 2, because the bits of nodes of 8 bytes take
    /// 1.6. Whole slabs have none.
    std::size_t overhead_percent = 2;
};

}} // namespace mallard::MALLARD_MODE

namespace mallard::unchecked { inline namespace MALLARD_MODE {

/// Not thread-safe; neither copied nor moved, because bound containers point to it. Impossible options stand for the
/// nearest possible ones.
template <upstream Upstream, slab_shape Shape>
class adaptive_pool {
    static constexpr bool divided = Shape == slab_shape::divided;
    using nodes_type =
        slab::recent_slots<slab::bitmap_slots<slab::fullness_buckets<slab::slab_header>, divided>>;

public:
    using upstream_type = Upstream;

    /// Larger requests go straight upstream.
    static constexpr std::size_t largest_node_bytes = 1024;

    /// Effects: makes a pool whose first request of at most largest_node_bytes fixes the size of its nodes.
    /// In static storage it is a constant (constinit); with a block_size it is not.
    explicit constexpr adaptive_pool(adaptive_pool_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : options_(possible(options)) {}

    /// Requires: `source` outlives the allocator.
    explicit constexpr adaptive_pool(core::upstream_argument<Upstream> source,
                                     adaptive_pool_options options = {}) noexcept
        : options_(possible(options)), upstream_(source) {}

    /// Effects: makes a pool whose nodes hold `size`.
    /// Throws: refused_request, a std::bad_alloc whose what() names the reason, if no node can: `size` has more
    /// than largest_node_bytes, a stricter alignment, or one that is not a power of two.
    explicit adaptive_pool(block_size size, adaptive_pool_options options = {})
        requires stateless_upstream<Upstream>
        : options_(possible(options)), initial_size_(expect_possible_node(size)) {
        fix(size);
    }

    /// Requires: `source` outlives the allocator.
    /// Throws: refused_request if no node can hold `size`.
    adaptive_pool(block_size size, core::upstream_argument<Upstream> source,
                  adaptive_pool_options options = {})
        : options_(possible(options)), initial_size_(expect_possible_node(size)), upstream_(source) {
        fix(size);
    }

    adaptive_pool(const adaptive_pool&) = delete;
    adaptive_pool& operator=(const adaptive_pool&) = delete;

    ~adaptive_pool() { release(); }

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`: a node, if that is large enough.
    /// Throws: std::bad_alloc, or the upstream's exceptions; the allocator is unchanged then.
    /// Complexity: constant on average, apart from calls upstream.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (serves(bytes, alignment)) [[likely]] {
            if (void* node = nodes_.pop()) [[likely]] {
                hand_out(node, bytes);
                return node;
            }
        }
        return allocate_slowly<false>(bytes, alignment);
    }

    /// Returns: the result of allocate(); null, with no effect, if there is no memory (nothrow_upstream).
    /// Complexity: that of allocate().
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (serves(bytes, alignment)) [[likely]] {
            if (void* node = nodes_.pop()) [[likely]] {
                hand_out(node, bytes);
                return node;
            }
        }
        return allocate_slowly<true>(bytes, alignment);
    }

    /// Effects: makes the block free. A chunk that becomes empty goes back to the upstream, unless
    /// `most_free_slabs` lets it stay.
    /// Requires: `p` came from allocate(bytes, alignment) of this allocator and was not deallocated since.
    /// Complexity: constant, apart from calls upstream.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        core::expect_usable(p);
        if (serves(bytes, alignment)) [[likely]] {
            nodes_.push(p, upstream_.get());
        } else {
            held_.deallocate(upstream_.get(), p);
        }
    }

    /// Returns: `count` blocks.
    /// Throws: refused_request if `bytes` is less than the size of a pointer; the exceptions of allocate(). No
    /// block is lost; a chunk that was taken for the burst may stay.
    /// Complexity: linear in the blocks.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        core::expect_possible_burst(bytes, alignment, count);
        if (count == 0) {
            return {};
        }
        first_request first(*this, bytes, alignment);
        if (!serves(bytes, alignment)) {
            return core::allocate_one_by_one(*this, bytes, alignment, count);
        }
        block_chain nodes = slab::pop_chain(nodes_, count, upstream_.get());
        first.succeeded();
        return nodes;
    }

    /// Effects: makes all blocks of the chain free.
    /// Requires: each came from this allocator, of this size and alignment.
    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        if (serves(bytes, alignment)) {
            nodes_.push_many(std::move(blocks), upstream_.get());
        } else {
            const block_chain all = std::move(blocks);
            all.for_each([&](void* p) { held_.deallocate(upstream_.get(), p); });
        }
    }

    /// Effects: gives the empty slabs that were kept back to the upstream.
    /// Complexity: linear in the chunks.
    void trim() noexcept { nodes_.trim(upstream_.get()); }

    /// Effects: returns all memory to the upstream, and invalidates all blocks. The size of the nodes is that of
    /// the constructor again.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: linear in the chunks and in the blocks that are not nodes.
    void release() noexcept {
        nodes_.release(upstream_.get());
        held_.release(upstream_.get());
        if (initial_size_.bytes == 0) {
            forget_size();
        }
    }

    /// Returns: true if `p` lies in the memory of this allocator, in a block or free.
    /// Complexity: linear in the chunks and in the blocks that are not nodes.
    [[nodiscard]] bool owns(const void* p) const noexcept { return held_.owns(p) || nodes_.owns(p); }

    /// Returns: the size of a node; 0 until it is fixed.
    [[nodiscard]] std::size_t node_bytes() const noexcept { return node_bytes_; }

    /// Returns: the size of a slab; 0 until the size of the nodes is fixed.
    [[nodiscard]] std::size_t block_bytes() const noexcept { return nodes_.geometry().slab_bytes; }

    /// Complexity: linear in the blocks that are not nodes.
    [[nodiscard]] allocator_stats stats() const noexcept {
        allocator_stats sum = held_.stats();
        sum.upstream_calls = large_calls_;
        sum.chunks += nodes_.chunks();
        sum.chunk_bytes += nodes_.chunk_bytes();
        sum.upstream_calls += nodes_.grants();
        return sum;
    }

private:
    static constexpr std::size_t largest_chunk_bytes = std::size_t{256} << 10;
    static constexpr std::size_t most_nodes_a_slab = std::size_t{1} << 16;

    static constexpr adaptive_pool_options possible(adaptive_pool_options o) noexcept {
        return {.nodes_a_slab = core::clamp<std::size_t>(o.nodes_a_slab, 1, most_nodes_a_slab),
                .most_free_slabs = core::min<std::size_t>(o.most_free_slabs, slab::most_chunk_slabs),
                .overhead_percent = core::max<std::size_t>(o.overhead_percent, 2)};
    }

    /// Fixes the size of the nodes, and forgets it again if the request fails.
    class first_request {
    public:
        first_request(adaptive_pool& pool, std::size_t bytes, std::size_t alignment) noexcept
            : pool_(pool), failed_(pool.may_fix({bytes, alignment})) {
            if (failed_) {
                pool.fix({bytes, alignment});
            }
        }
        first_request(const first_request&) = delete;
        first_request& operator=(const first_request&) = delete;
        ~first_request() {
            if (failed_) {
                pool_.nodes_.release(pool_.upstream_.get());
                pool_.forget_size();
            }
        }
        void succeeded() noexcept { failed_ = false; }

    private:
        adaptive_pool& pool_;
        bool failed_;
    };

    /// Returns: true if a node serves the request. The alignment of a node is the largest power of two that
    /// divides its size.
    [[nodiscard]] bool serves(std::size_t bytes, std::size_t alignment) const noexcept {
        return bytes <= node_bytes_ && alignment <= node_alignment_;
    }

    [[nodiscard]] bool may_fix(block_size size) const noexcept {
        return node_bytes_ == 0 && size.bytes <= largest_node_bytes && size.alignment <= largest_node_bytes &&
               size.of_block().bytes <= largest_node_bytes;
    }

    /// Returns: the size of the nodes that hold `size`.
    [[nodiscard]] static block_size expect_possible_node(block_size size) {
        if (size.bytes > largest_node_bytes || size.alignment > largest_node_bytes ||
            !is_power_of_two(size.alignment)) {
            core::refuse_block_size(size.bytes, size.alignment, largest_node_bytes, largest_node_bytes);
        }
        return size.of_block();
    }

    void fix(block_size size) noexcept {
        node_bytes_ = size.of_block().bytes;
        node_alignment_ = node_bytes_ & (~node_bytes_ + 1);
        const slab::slab_geometry geometry = slab_geometry_for(node_bytes_);
        const auto slabs = [&geometry](std::size_t bytes) {
            return static_cast<std::uint32_t>(core::max<std::size_t>(bytes / geometry.slab_bytes, 1));
        };
        const auto free_slabs = static_cast<std::uint32_t>(options_.most_free_slabs);
        // Two slabs may be larger than the largest chunk; more slabs that may stay make no chunk larger.
        const std::uint32_t largest = core::max<std::uint32_t>(slabs(largest_chunk_bytes),
                                                               core::clamp<std::uint32_t>(free_slabs, 1, 2));
        nodes_.reshape(geometry,
                       slab::chunk_policy{.first_slabs = core::clamp<std::uint32_t>(free_slabs, 1, largest),
                                          .largest_slabs = largest,
                                          .spare_bytes = std::size_t{free_slabs} * geometry.slab_bytes,
                                          .spares_an_eighth = false});
    }

    [[nodiscard]] slab::slab_geometry slab_geometry_for(std::size_t node_bytes) const noexcept {
        if constexpr (divided) {
            return slab::divided_slabs(node_bytes, options_.nodes_a_slab, options_.overhead_percent);
        } else {
            return slab::slabs_for(node_bytes, options_.nodes_a_slab);
        }
    }

    void forget_size() noexcept {
        nodes_.reshape(slab::slab_geometry{}, slab::chunk_policy{});
        node_bytes_ = node_alignment_ = 0;
    }

    static void hand_out(void* node, std::size_t bytes) noexcept {
        core::unpoison(node, core::max<std::size_t>(bytes, 1));
    }

    template <bool Quiet>
    [[gnu::cold, gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment);

    std::size_t node_bytes_ = 0;
    std::size_t node_alignment_ = 0;
    nodes_type nodes_{slab::slab_geometry{},
                      slab::chunk_policy{}}; ///< without a shape until the size is fixed
    chunks::held_list held_;
    std::size_t large_calls_ = 0;
    adaptive_pool_options options_;
    block_size initial_size_{};
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<Upstream> upstream_;
};

template <upstream Upstream, slab_shape Shape>
template <bool Quiet>
void* adaptive_pool<Upstream, Shape>::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    first_request first(*this, bytes, alignment);
    if (!serves(bytes, alignment)) {
        void* const block = held_.allocate(core::source_from<Quiet>(upstream_), bytes, alignment);
        large_calls_ += static_cast<std::size_t>(!Quiet || block != nullptr);
        return block;
    }
    void* node = nodes_.pop();
    if (node == nullptr) {
        if (!nodes_.grow(core::source_from<Quiet>(upstream_))) {
            return nullptr;
        }
        node = nodes_.pop();
    }
    first.succeeded();
    hand_out(node, bytes);
    return node;
}

}} // namespace mallard::unchecked::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <upstream Upstream, slab_shape Shape>
class adaptive_pool : public checking::by_default<unchecked::adaptive_pool<Upstream, Shape>> {
    using base = checking::by_default<unchecked::adaptive_pool<Upstream, Shape>>;

public:
    using upstream_type = Upstream;

    static constexpr std::size_t largest_node_bytes =
        unchecked::adaptive_pool<Upstream, Shape>::largest_node_bytes;

    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr adaptive_pool() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...> && (!std::is_constructible_v<base, First, Args...>)
    adaptive_pool(First&&, Args&&...) = delete; // it takes a block_size; the rest stands in options

    template <core::foreign_upstream<adaptive_pool> Source, class... Args>
        requires(!std::is_constructible_v<base, Source&, Args...>)
    adaptive_pool(Source&, Args&&...) = delete; // its type names the upstream: omit the <>

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // std::pmr takes the address of a mallard::resource
};

// One for each constructor, because nothing is deduced from inherited constructors.
adaptive_pool(adaptive_pool_options = {}) -> adaptive_pool<>;
template <upstream Upstream>
adaptive_pool(Upstream&, adaptive_pool_options = {}) -> adaptive_pool<Upstream>;
template <upstream_reference Reference>
adaptive_pool(const Reference&, adaptive_pool_options = {}) -> adaptive_pool<Reference>;
adaptive_pool(block_size, adaptive_pool_options = {}) -> adaptive_pool<>;
template <upstream Upstream>
adaptive_pool(block_size, Upstream&, adaptive_pool_options = {}) -> adaptive_pool<Upstream>;

static_assert(local_allocator<adaptive_pool<>>);
static_assert(burst_allocator<adaptive_pool<>>);

}} // namespace mallard::MALLARD_MODE
