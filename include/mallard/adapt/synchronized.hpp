/// Any allocator behind a lock, so that several threads may share it.
///
///     mallard::synchronized<mallard::multipool<>> pool;
///     std::list<int, mallard::allocator<int, decltype(pool)>> mine{pool};   // another list in every thread
///
/// Data model: the mechanism, and a mutex that every operation holds. Simple, and as small as the mechanism;
/// where threads allocate all the time, local/concurrent_multipool.hpp is many times as fast. The mutex
/// protects the allocator, not the blocks: release(), rewind() and rollback() may be called at any time as
/// far as the allocator is concerned, but what they forget must not be in use by any thread. mechanism() is
/// the way round the lock.
///
/// Source: P0089R1, section 11 (the experiment that it leaves to the reader).
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::inline MALLARD_MODE {

/// Thread-safe, but for mechanism(). `Mutex` is any type that std::scoped_lock takes. Adaptors that count go
/// inside.
template <class A, class Mutex = std::mutex>
class synchronized : public adapt::adaptor<A> {
    using adapt::adaptor<A>::mechanism_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit synchronized(Args&&... args) : adapt::adaptor<A>(std::forward<Args>(args)...) {}

    /// Throws: what the mechanism throws; it is then as it was, and not locked.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.allocate(bytes, alignment);
    }

    /// Requires: as the mechanism's; but any thread may free what any other allocated.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        const std::scoped_lock<Mutex> lock(mutex_);
        mechanism_.deallocate(p, bytes, alignment);
    }

    /// Returns: null where the mechanism cannot serve the request.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(std::remove_reference_t<A>& mechanism) { mechanism.try_allocate(bytes, alignment); }
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.try_allocate(bytes, alignment);
    }

    // ---- blocks that change their size

    /// Throws: as allocate().
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment)
        requires expandable<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.allocate_at_least(bytes, alignment);
    }

    /// Returns: null where the mechanism cannot serve the request.
    [[nodiscard]] sized_block try_allocate_at_least(std::size_t bytes,
                                                    std::size_t alignment = fundamental_alignment) noexcept
        requires requires(std::remove_reference_t<A>& mechanism) {
            mechanism.try_allocate_at_least(bytes, alignment);
        }
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.try_allocate_at_least(bytes, alignment);
    }

    /// Requires: as the mechanism's, and that no other thread uses the block.
    /// Throws: as the mechanism.
    expansion_result expand(void* p, const expansion_request& request)
        requires expandable<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.expand(p, request);
    }

    expansion_result try_expand(void* p, const expansion_request& request) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.try_expand(p, request);
    }

    std::size_t shrink(void* p, std::size_t bytes) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.shrink(p, bytes);
    }

    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.usable_bytes(p);
    }

    // ---- bursts: the lock is taken once

    /// Throws: as allocate(); no block is lost then.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires burst_allocator<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.allocate_many(bytes, alignment, count);
    }

    /// Throws: as allocate(); no block is lost then.
    [[nodiscard]] block_chain allocate_many(std::span<const std::size_t> sizes,
                                            std::size_t alignment = fundamental_alignment)
        requires mixed_burst_allocator<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.allocate_many(sizes, alignment);
    }

    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept
        requires burst_allocator<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        mechanism_.deallocate_many(std::move(blocks), bytes, alignment);
    }

    void deallocate_many(block_chain&& blocks) noexcept
        requires mixed_burst_allocator<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        mechanism_.deallocate_many(std::move(blocks));
    }

    // ---- the whole of it

    /// Requires: no thread uses a block of this allocator any more.
    void release() noexcept
        requires local_allocator<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        mechanism_.release();
    }

    /// Requires: no thread uses a block of this allocator any more.
    void rewind() noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        mechanism_.rewind();
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.mark();
    }

    /// Requires: no thread uses a block that any thread allocated since the mark.
    template <class Position>
    void rollback(Position to) noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        mechanism_.rollback(to);
    }

    /// Returns: as the mechanism's, at a moment between two operations.
    [[nodiscard]] auto stats() const noexcept
        requires requires(const std::remove_reference_t<A>& mechanism) { mechanism.stats(); }
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.stats();
    }

    /// Effects: gives empty chunks back upstream.
    void trim() noexcept
        requires requires(std::remove_reference_t<A>& mechanism) { mechanism.trim(); }
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        mechanism_.trim();
    }

    /// Returns: as the mechanism's. Others wait as long as that takes.
    [[nodiscard]] auto use() const noexcept
        requires requires(const std::remove_reference_t<A>& mechanism) { mechanism.use(); }
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.use();
    }

    /// Returns: as the mechanism's.
    [[nodiscard]] auto check_sanity() const noexcept
        requires requires(const std::remove_reference_t<A>& mechanism) { mechanism.check_sanity(); }
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.check_sanity();
    }

    /// Effects: calls `f` for every block, under the lock.
    /// Requires: `f` does not call this allocator.
    template <class F>
    void for_each_block(F f) const
        requires requires(const std::remove_reference_t<A>& mechanism) { mechanism.for_each_block(f); }
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        mechanism_.for_each_block(f);
    }

    /// Returns: whether `p` lies in memory of the mechanism.
    [[nodiscard]] bool owns(const void* p) const noexcept
        requires requires(const std::remove_reference_t<A>& mechanism) { mechanism.owns(p); }
    {
        const std::scoped_lock<Mutex> lock(mutex_);
        return mechanism_.owns(p);
    }

    // ---- for a fork

    /// Effects: lets no other thread in, so that the child of a fork finds the mechanism whole. For a handler of
    /// pthread_atfork(); a pool that a type names (bind/pool_tag.hpp) has one.
    /// Requires: the calling thread is not in an operation of this allocator.
    void lock_for_fork() noexcept { mutex_.lock(); }

    [[nodiscard]] bool try_lock_for_fork() noexcept
        requires requires(Mutex& m) { m.try_lock(); }
    {
        return mutex_.try_lock();
    }

    /// Effects: ends that, in the process that forked and in its child alike.
    void unlock_after_fork() noexcept { mutex_.unlock(); }

private:
    mutable Mutex mutex_;
};

template <class A, class Mutex>
inline constexpr bool thread_safe<synchronized<A, Mutex>> = true;

} // namespace mallard::inline MALLARD_MODE
