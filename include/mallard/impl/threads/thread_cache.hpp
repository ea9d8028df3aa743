/// The way from a thread to its magazines of a shared allocator, and the end of either of the two.
///
///     this thread:  last_cache { key, cache }           the allocator used last: one comparison finds it
///                   cache  [ key | magazines ... ]      eight caches, each attached to one allocator or free
///                   cache  [ key | magazines ... ]
///                       ^
///     an allocator: key_, caches_ ... all caches, of any thread, that are attached to it
///
/// Data model: caches are memory of their thread, from the system and not from an allocator. If there is none
/// left, the thread works without a cache, so that freeing cannot fail (impl/threads/thread_end.hpp names the other
/// needs of the first use in a thread). Each allocator has a key that is unique for the lifetime of the process;
/// detach_caches() replaces it, which makes all entries of threads stale at once. A thread that uses more
/// allocators than it has caches works without one most of the time; occasionally it evicts a cache: returns its
/// blocks to their allocator and attaches it to the new one.
/// Invariants: a cache is in its owner's list if and only if its owner is set; both change under one lock of the
/// process. Only its thread touches the magazines of a cache. While blocks return from a cache that is no longer
/// in the list, the owner counts it in returning_, and waits for it before it ends.
/// Ends: a thread returns the blocks of its caches when its thread_local objects end, or, if it has its first
/// cache after that, when its thread-specific data does (impl/threads/thread_end.hpp). After that it has no caches.
/// The memory of caches lives as long as the process, so that a thread that ends unseen leaves no dangling
/// pointer.
/// Copies: if a program and its libraries each have a copy of mallard, threads have caches of the allocators of
/// each copy; an allocator of another copy serves them under its lock.
/// Fork: the lock is held while the process forks (impl/threads/fork_hold.hpp). Blocks in magazines of threads that
/// the child does not have are in use there until their allocator is released.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/impl/threads/magazine.hpp>
#include <mallard/impl/threads/process_mark.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

inline constexpr std::size_t caches_per_thread = 8;

class cache_hub;
class cache_owner;

/// One thread's magazines of one allocator.
struct alignas(cache_line_bytes) thread_cache {
    std::atomic<std::uint64_t> key{0}; ///< the owner's; 0 if there is none
    cache_owner* owner = nullptr;
    thread_cache* previous = nullptr;
    thread_cache* next = nullptr;
    std::uint32_t growth_bytes = most_growth_bytes; ///< by which its magazines may still grow
    std::array<magazine, magazine_count> magazines{};
};

/// The cache that a thread used last. `depth` counts the pools that it has locked.
struct cache_in_use {
    std::uint64_t key = 0;
    thread_cache* cache = nullptr;
    std::uint32_t depth = 0;
};

extern constinit MALLARD_THREAD_LOCAL cache_in_use last_cache;

/// Base of an allocator with magazines in threads.
class cache_owner {
public:
    cache_owner(const cache_owner&) = delete;
    cache_owner& operator=(const cache_owner&) = delete;

protected:
    /// Returns all blocks of a cache to the allocator.
    using take_back_function = void (*)(cache_owner& owner, thread_cache& from) noexcept;

    explicit cache_owner(take_back_function take_back) noexcept;
    ~cache_owner() = default;

    /// Returns: true if the cache that this thread used last belongs to this allocator.
    [[nodiscard]] bool used_last() const noexcept { return last_cache.key == key_; }

    /// Returns: this thread's cache, attached now if it was not; null if the thread is ending, or has no free
    /// cache.
    [[nodiscard]] thread_cache* find_cache() noexcept;

    /// Effects: detaches all caches from their threads, with the blocks in them. Blocks that other threads were
    /// returning are back afterwards.
    /// Requires: no thread is in an operation of this allocator. To be called before the allocator ends.
    void detach_caches() noexcept;

private:
    friend class thread_caches;

    std::uint64_t key_;
    take_back_function take_back_;
    cache_hub& hub_;
    thread_cache* caches_ = nullptr;
    threads_inside returning_; ///< the threads that return blocks from a cache that is not in the list
};

/// Held together with a pool's lock. A thread that holds one evicts no cache, because that
/// would need another pool's lock: an allocator may be the upstream of another one.
class inside_pool {
public:
    inside_pool() noexcept { ++last_cache.depth; }
    inside_pool(const inside_pool&) = delete;
    inside_pool& operator=(const inside_pool&) = delete;
    ~inside_pool() { --last_cache.depth; }
};

}} // namespace mallard::threads::MALLARD_LIBRARY
