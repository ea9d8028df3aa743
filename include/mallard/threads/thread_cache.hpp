/// How a thread finds its magazines of a shared allocator, and what becomes of them when either of the two
/// ends.
///
///     this thread:  last_cache { key, rack }            the allocator used last: one comparison finds it
///                   rack  [ key | magazines ... ]      eight racks, each attached to one allocator or free
///                   rack  [ key | magazines ... ]
///                       ^
///     an allocator: key_, caches_ ... all racks, of any thread, that are attached to it
///
/// Data model: racks are memory of their thread, taken from the system and not from an allocator: if there is
/// none left, the thread does without, so that freeing does not fail for want of them (what the first use in a
/// thread needs besides: threads/thread_end.hpp). An allocator has a key that no other has or ever had;
/// detach_caches() gives it another, which makes all that threads remember of it stale at once. A thread that
/// uses more allocators than it has racks does without one most of the time; now and then it returns one rack's
/// blocks to their allocator and attaches the rack to the other.
/// Invariants: a rack is in its owner's list if and only if its owner is set; both change under one lock of
/// the process. The magazines of a rack are touched by its thread only. While blocks return from a rack that
/// is no longer in the list, the owner counts it in returning_, and does not end before.
/// Ends: a thread returns the blocks of its racks when its thread_local objects end, or, where it has its first rack
/// after that, when its thread-specific data does (threads/thread_end.hpp). After that, the thread has no racks. The
/// memory of racks is there as long as the process: a thread that ends unseen leaves nothing that dangles.
/// Copies: where a program and the libraries that it loads have a copy of mallard each, threads have racks of the
/// allocators that the copy made; those of another copy serve them by their locks.
/// Fork: the lock is held while the process forks (threads/fork_hold.hpp). Blocks in magazines of threads that the child
/// does not have are in use there until their allocator is released.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/threads/magazine.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::threads::inline MALLARD_LIBRARY {

inline constexpr std::size_t caches_per_thread = 8;

class cache_hub;
class cache_owner;

/// One thread's magazines of one allocator.
struct alignas(cache_line_bytes) thread_cache {
    std::atomic<std::uint64_t> key{0}; ///< the owner's; 0 where there is none
    cache_owner* owner = nullptr;
    thread_cache* previous = nullptr;
    thread_cache* next = nullptr;
    std::array<magazine, magazine_count> magazines{};
};

/// The rack that a thread used last. `depth` counts the centres that it has locked.
struct cache_in_use {
    std::uint64_t key = 0;
    thread_cache* cache = nullptr;
    std::uint32_t depth = 0;
};

extern constinit thread_local cache_in_use last_cache;

/// Base of an allocator with magazines in threads.
class cache_owner {
public:
    cache_owner(const cache_owner&) = delete;
    cache_owner& operator=(const cache_owner&) = delete;

protected:
    /// Returns all blocks of a rack to the allocator's centre.
    using take_back_function = void (*)(cache_owner& owner, thread_cache& from) noexcept;

    explicit cache_owner(take_back_function take_back) noexcept;
    ~cache_owner() = default;

    /// Returns: whether the rack that this thread has used last is one of this allocator.
    [[nodiscard]] bool used_last() const noexcept { return last_cache.key == key_; }

    /// Returns: this thread's rack, attached now where it was not, or null: the thread is ending, or has too
    /// many.
    [[nodiscard]] thread_cache* find_cache() noexcept;

    /// Effects: takes all racks away from their threads, with the blocks in them. What other threads are
    /// returning has been returned afterwards.
    /// Requires: no thread is in an operation of this allocator. To be called before the allocator ends.
    void detach_caches() noexcept;

private:
    friend class thread_caches;

    std::uint64_t key_;
    take_back_function take_back_;
    cache_hub& hub_;
    thread_cache* caches_ = nullptr;
    std::atomic<std::uint64_t> returning_{0}; ///< how many threads; above them, since how many forks
};

/// Held together with a centre's lock. A thread that holds one takes no rack away from an allocator, because
/// that would need another centre's lock: an allocator may be the upstream of another one.
class inside_depot {
public:
    inside_depot() noexcept { ++last_cache.depth; }
    inside_depot(const inside_depot&) = delete;
    inside_depot& operator=(const inside_depot&) = delete;
    ~inside_depot() { --last_cache.depth; }
};

} // namespace mallard::threads::inline MALLARD_LIBRARY
