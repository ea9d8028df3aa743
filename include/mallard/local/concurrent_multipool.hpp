/// A multipool that many threads share: each takes blocks from its own magazines, without a lock.
///
///     thread 1:  magazine of 24 | magazine of 64 | ...      free blocks of each size, no lock
///     thread 2:  magazine of 24 | magazine of 64 | ...
///                      ^ batches of up to 64 blocks v        each as one chain, behind a lock
///     depot:     batches of 24  | batches of 64  | ...
///                      ^ only if the depot has none
///     pool:      multipool behind the same lock             everything else
///
/// Data model: the multipool owns all memory. A thread whose magazine is empty fetches a batch of blocks; a
/// thread whose magazine is full gives one away. So a thread may free the blocks of others: they gather in
/// its magazines, go to the depot in batches, and are used again by any thread. A batch changes threads as it is, by
/// three words that are written under the lock (impl/threads/magazine.hpp). The multipool serves requests above 8 KiB,
/// those aligned to more than a cache line or above eight of them, and those of a thread that is ending.
/// impl/threads/thread_cache.hpp describes how a thread finds its magazines, and the fate of these when a thread or the
/// allocator ends.
/// Invariants: the upstream is called under the lock only, so it need not be thread-safe. A block is in one
/// magazine, in the depot, in the multipool, or in use; to the multipool, blocks in magazines and in the depot are
/// in use. The lock and the depot share no cache line with data that every request reads, nor with data of other
/// objects.
/// Bound: at most two batches of each shape wait in a thread's magazine: 128 blocks, as many as 32 KiB hold, or
/// two (impl/threads/magazine.hpp); two MiB for a thread that frees blocks of all shapes. The magazines of a thread
/// that frees and allocates more than that in turn grow by up to one MiB together. The depot keeps all other batches, each
/// for blocks of its shape: as in the multipool, a shape keeps the most that it ever had, until a release. A thread has
/// magazines of at most eight allocators, in pages of its own, 20 KB in all. The object has 0.8 KB, mostly the lists of
/// the depot.
///
/// Source: the exercise that P0089R1, section 11, leaves to its reader.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/mutex.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/checking/by_default.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>
#include <mallard/impl/threads/magazine.hpp>
#include <mallard/impl/threads/thread_cache.hpp>
#include <mallard/local/fwd.hpp>
#include <mallard/local/multipool.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::unchecked { inline namespace MALLARD_MODE {

/// Thread-safe, apart from release() and the end of the allocator. Neither copied nor moved.
template <upstream Upstream>
class alignas(cache_line_bytes) concurrent_multipool : private threads::cache_owner {
public:
    using upstream_type = Upstream;

    /// Effects: makes an allocator that asks for nothing until its first request.
    /// Not a constant: each has a number, which it takes when it is made.
    explicit concurrent_multipool(multipool_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : threads::cache_owner(take_back), pool_(options) {}

    /// Requires: `source` outlives the allocator.
    explicit concurrent_multipool(core::upstream_argument<Upstream> source,
                                  multipool_options options = {}) noexcept
        : threads::cache_owner(take_back), pool_(source, options) {}

    concurrent_multipool(const concurrent_multipool&) = delete;
    concurrent_multipool& operator=(const concurrent_multipool&) = delete;

    /// Requires: no thread is in an operation of this allocator or uses a block of it.
    ~concurrent_multipool() { release(); }

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`. No block has fewer than 16 bytes.
    /// Throws: std::bad_alloc, or the upstream's exceptions; the allocator is unchanged then.
    /// Complexity: constant, apart from batches and calls upstream.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const std::size_t index = threads::magazine_index(bytes, alignment);
        if (index != threads::magazine_count && used_last()) [[likely]] {
            if (void* block = threads::last_cache.cache->magazines[index].pop()) [[likely]] {
                hand_out(block, bytes);
                return block;
            }
        }
        return allocate_slowly(bytes, alignment);
    }

    /// Returns: the result of allocate(); null, with no effect, if there is no memory (nothrow_upstream). In a program
    /// without exceptions, the free blocks of other threads do not count.
    /// Complexity: that of allocate().
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const std::size_t index = threads::magazine_index(bytes, alignment);
        if (index != threads::magazine_count && used_last()) [[likely]] {
            if (void* block = threads::last_cache.cache->magazines[index].pop()) [[likely]] {
                hand_out(block, bytes);
                return block;
            }
        }
        return try_allocate_slowly(bytes, alignment);
    }

    /// Effects: makes the block free for requests of its size class.
    /// Requires: `p` came from allocate(bytes, alignment) of this allocator, in any thread, and was not
    /// deallocated since.
    /// Complexity: constant, apart from batches.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        core::expect_usable(p);
        const std::size_t index = threads::magazine_index(bytes, alignment);
        if (index != threads::magazine_count && used_last() &&
            threads::last_cache.cache->magazines[index].push(p, index)) [[likely]] {
            return;
        }
        deallocate_slowly(p, bytes, alignment);
    }

    /// Effects: gives all memory back to the upstream, and invalidates all blocks, including those in magazines.
    /// Requires: no thread is in an operation of this allocator or uses a block of it; allocators over this one
    /// were released before, or are never used again.
    /// Complexity: linear in the chunks, in the blocks above the largest pooled size and in the threads.
    void release() noexcept {
        detach_caches();
        const pool_lock lock(mutex_);
        depot_ = {};
        pool_.release();
    }

    /// Effects: tidies the multipool, after the free blocks of the depot went there (multipool::tidy()). Those in the magazines
    /// of threads stay, and keep their chunks.
    /// Complexity: n log n in the free blocks and chunks, under the lock: other threads wait for it when they need a batch.
    void tidy() noexcept {
        const pool_lock lock(mutex_);
        for (std::size_t index = 0; index < threads::magazine_count; ++index) {
            while (core::free_block* const batch = depot_[index].pop()) {
                give_batch_to_pool(batch, index);
            }
        }
        pool_.tidy();
    }

    [[nodiscard]] std::size_t largest_pooled_bytes() const noexcept { return pool_.largest_pooled_bytes(); }

    /// Returns: the memory of the multipool, which includes the blocks in magazines and in the depot.
    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        const core::lock_guard lock(mutex_);
        return pool_.stats();
    }

    /// Returns: true if `p` lies in the memory of the multipool, in a block or free.
    /// Complexity: linear in the chunks and in the blocks above the largest pooled size.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        const core::lock_guard lock(mutex_);
        return pool_.owns(p);
    }

    // ---- for a fork

    /// Effects: lets no other thread into the multipool, so that the child of a fork finds it whole. The calling thread
    /// may go on with it. For a handler of pthread_atfork(); a pool that a type names (bind/pool_tag.hpp) has one.
    /// Requires: the calling thread is not in an operation of this allocator.
    void lock_for_fork() noexcept { mutex_.lock_for_fork(); }

    /// Effects: those of lock_for_fork(), if no thread is in an operation.
    /// Returns: true if it has an effect.
    [[nodiscard]] bool try_lock_for_fork() noexcept { return mutex_.try_lock_for_fork(); }

    /// Effects: lets other threads in again, in the process that forked and in its child.
    void unlock_after_fork() noexcept { mutex_.unlock_after_fork(); }

private:
    /// Around each use of the multipool, which may call the upstream.
    struct pool_lock {
        explicit pool_lock(threads::fork_mutex& mutex) : lock(mutex) {}
        core::lock_guard<threads::fork_mutex> lock;
        threads::inside_pool inside;
    };

    /// Blocks on their way from the multipool to a magazine. They go back unless they arrive.
    class fetched_blocks {
    public:
        fetched_blocks(concurrent_multipool& pool, std::size_t index) noexcept
            : owner_(pool), index_(index), shape_(threads::magazine_shape(index)) {}
        fetched_blocks(const fetched_blocks&) = delete;
        fetched_blocks& operator=(const fetched_blocks&) = delete;

        ~fetched_blocks() {
            threads::magazine::for_each(first_, count_,
                                        [this](void* block) { owner_.give_to_pool(block, shape_); });
        }

        /// Effects: takes `count` blocks of the multipool; fewer if it has no more, but at least one.
        /// Throws: the multipool's exceptions if it has none.
        void fetch(std::size_t count) {
            append(owner_.pool_.allocate(shape_.bytes, shape_.alignment));
            while (count_ < count) {
                void* const block = core::ask_quietly(owner_.pool_, shape_.bytes, shape_.alignment);
                if (block == nullptr) {
                    return;
                }
                append(block);
            }
        }

        void arrive(threads::magazine& in) noexcept { in.fill(first_, std::exchange(count_, 0), index_); }

    private:
        using links = core::links<true>;

        void append(void* p) noexcept {
            auto* const block = static_cast<core::free_block*>(p);
            core::poison(block, shape_.bytes);
            links::write(block, nullptr);
            if (count_++ == 0) {
                first_ = block;
            } else {
                links::write(last_, block);
            }
            last_ = block;
        }

        concurrent_multipool& owner_;
        std::size_t index_;
        threads::block_shape shape_;
        std::size_t count_ = 0;
        core::free_block* first_ = nullptr;
        core::free_block* last_ = nullptr;
    };

    /// The bytes added by rounding up to a shape stay poisoned, except for one, which detects a second
    /// deallocation.
    static void hand_out(void* block, std::size_t bytes) noexcept {
        core::unpoison(block, core::max<std::size_t>(bytes, 1));
    }

    /// Blocks that the multipool does not pool have no magazine, however small.
    [[nodiscard]] bool has_magazine(std::size_t index) const noexcept {
        if (index == threads::magazine_count) {
            return false;
        }
        const auto [bytes, alignment] = threads::magazine_shape(index);
        const std::size_t extra = alignment > fundamental_alignment ? alignment : 0;
        return bytes + extra <= pool_.largest_pooled_bytes();
    }

    /// Requires: mutex_ is locked.
    void give_to_pool(void* block, threads::block_shape shape) noexcept {
        core::unpoison(block, shape.bytes);
        pool_.deallocate(block, shape.bytes, shape.alignment);
    }

    /// Requires: mutex_ is locked.
    void give_batch_to_pool(core::free_block* batch, std::size_t index) noexcept {
        threads::magazine::expect_length(batch, threads::batch_blocks(index));
        threads::magazine::for_each(batch, threads::batch_blocks(index), [this, index](void* block) {
            give_to_pool(block, threads::magazine_shape(index));
        });
    }

    [[gnu::noinline]] void* try_allocate_slowly(std::size_t bytes, std::size_t alignment) noexcept;
    [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment);
    [[gnu::noinline]] void deallocate_slowly(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    void* allocate_without_cache(std::size_t index);
    void refill(threads::thread_cache& cache, std::size_t index);
    static void take_back(threads::cache_owner& owner, threads::thread_cache& from) noexcept;

    alignas(cache_line_bytes) mutable threads::fork_mutex mutex_;
    multipool<Upstream, first_freed, eighth_classes> pool_;
    std::array<threads::batch_stack, threads::magazine_count> depot_{}; ///< guarded by the mutex
};

template <upstream Upstream>
void* concurrent_multipool<Upstream>::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    const std::size_t index = threads::magazine_index(bytes, alignment);
    if (!has_magazine(index)) {
        const pool_lock lock(mutex_);
        return pool_.allocate(bytes, alignment);
    }
    void* block = nullptr;
    if (threads::thread_cache* const cache = find_cache()) {
        threads::magazine& magazine = cache->magazines[index];
        block = magazine.pop();
        if (block == nullptr) {
            refill(*cache, index);
            block = magazine.pop();
        }
    } else {
        block = allocate_without_cache(index);
    }
    hand_out(block, bytes);
    return block;
}

template <upstream Upstream>
void* concurrent_multipool<Upstream>::try_allocate_slowly(std::size_t bytes, std::size_t alignment) noexcept {
#ifdef __cpp_exceptions
    const core::quiet_failures quiet;
    const core::cancellation_disabled meanwhile;
    return core::null_if_throws([&] { return allocate_slowly(bytes, alignment); });
#else
    const std::size_t index = threads::magazine_index(bytes, alignment);
    const pool_lock lock(mutex_);
    if (!has_magazine(index)) {
        return pool_.try_allocate(bytes, alignment);
    }
    const threads::block_shape shape = threads::magazine_shape(index);
    void* const block = pool_.try_allocate(shape.bytes, shape.alignment);
    if (block != nullptr) {
        hand_out(block, bytes);
    }
    return block;
#endif
}

/// Returns: a block for a thread without magazines.
template <upstream Upstream>
void* concurrent_multipool<Upstream>::allocate_without_cache(std::size_t index) {
    const threads::block_shape shape = threads::magazine_shape(index);
    const pool_lock lock(mutex_);
    if (core::free_block* const batch = depot_[index].pop()) { // there may be no other block
        give_batch_to_pool(batch, index);
    }
    return pool_.allocate(shape.bytes, shape.alignment);
}

/// Requires: the magazine of `cache` has no loaded block.
template <upstream Upstream>
void concurrent_multipool<Upstream>::refill(threads::thread_cache& cache, std::size_t index) {
    threads::magazine& to = cache.magazines[index];
    if (to.load()) {
        return;
    }
    const std::size_t count = to.next_fetch(index);
    const pool_lock lock(mutex_);
    if (core::free_block* const batch = depot_[index].pop()) {
        to.fill(batch, index, cache.growth_bytes);
        return;
    }
    fetched_blocks blocks(*this, index);
    blocks.fetch(count);
    blocks.arrive(to);
}

template <upstream Upstream>
void concurrent_multipool<Upstream>::deallocate_slowly(void* p, std::size_t bytes,
                                                       std::size_t alignment) noexcept {
    const std::size_t index = threads::magazine_index(bytes, alignment);
    if (!has_magazine(index)) {
        const pool_lock lock(mutex_);
        pool_.deallocate(p, bytes, alignment);
        return;
    }
    threads::thread_cache* const cache = find_cache();
    if (cache == nullptr) {
        const pool_lock lock(mutex_);
        give_to_pool(p, threads::magazine_shape(index));
        return;
    }
    threads::magazine& magazine = cache->magazines[index];
    if (magazine.push(p, index)) {
        return;
    }
    core::free_block* const excess = magazine.make_room(index);
    static_cast<void>(magazine.push(p, index));
    if (excess != nullptr) {
        const core::lock_guard lock(mutex_);
        depot_[index].push(excess);
    }
}

template <upstream Upstream>
void concurrent_multipool<Upstream>::take_back(threads::cache_owner& owner,
                                               threads::thread_cache& from) noexcept {
    auto& pool = static_cast<concurrent_multipool&>(owner);
    const pool_lock lock(pool.mutex_);
    for (std::size_t index = 0; index < threads::magazine_count; ++index) {
        from.magazines[index].empty_out(
            [&](core::free_block* batch) { pool.depot_[index].push(batch); },
            [&](void* block) { pool.give_to_pool(block, threads::magazine_shape(index)); });
    }
}

}} // namespace mallard::unchecked::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <upstream Upstream>
inline constexpr bool thread_safe<unchecked::concurrent_multipool<Upstream>> = true;

template <upstream Upstream>
class concurrent_multipool : public checking::by_default<unchecked::concurrent_multipool<Upstream>> {
    using base = checking::by_default<unchecked::concurrent_multipool<Upstream>>;

public:
    using upstream_type = Upstream;
    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr concurrent_multipool() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...> && (!std::is_constructible_v<base, First, Args...>)
    concurrent_multipool(First&&, Args&&...) = delete; // it takes an upstream, and sizes in multipool_options

    template <core::foreign_upstream<concurrent_multipool> Source, class... Args>
        requires(!std::is_constructible_v<base, Source&, Args...>)
    concurrent_multipool(Source&, Args&&...) = delete; // its type names the upstream: omit the <>

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // std::pmr takes the address of a mallard::resource
};

template <upstream Upstream>
inline constexpr bool thread_safe<concurrent_multipool<Upstream>> = true;

// One for each constructor, because nothing is deduced from inherited constructors.
concurrent_multipool(multipool_options = {}) -> concurrent_multipool<>;
template <upstream Upstream>
concurrent_multipool(Upstream&, multipool_options = {}) -> concurrent_multipool<Upstream>;
template <upstream_reference Reference>
concurrent_multipool(const Reference&, multipool_options = {}) -> concurrent_multipool<Reference>;

static_assert(local_allocator<concurrent_multipool<>>);

}} // namespace mallard::MALLARD_MODE
