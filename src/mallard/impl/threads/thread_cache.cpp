#include "../../platform/threads.hpp"
#include "thread_rooms.hpp"

#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>
#include <mallard/impl/threads/thread_cache.hpp>
#include <mallard/impl/threads/thread_end.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

constinit MALLARD_THREAD_LOCAL cache_in_use last_cache{};

/// Guards the attachments of caches to allocators, for one copy of the library. A program and the libraries
/// that it loads may each have a copy; no copy touches the caches of another.
class cache_hub {
public:
    /// Returns: a key that no allocator had, not even one of another copy of the library.
    [[nodiscard]] std::uint64_t new_key() noexcept {
        constexpr std::uint64_t spread = 0x9E3779B97F4A7C15U;
        const std::uint64_t first = reinterpret_cast<std::uintptr_t>(this) * spread;
        const std::uint64_t key = first + last_.fetch_add(1, std::memory_order_relaxed);
        return key != 0 ? key : new_key(); // 0 is the key of no allocator
    }

    fork_mutex attachments;

    // ---- for a fork

    void lock_for_fork() noexcept { attachments.lock_for_fork(); }
    [[nodiscard]] bool try_lock_for_fork() noexcept { return attachments.try_lock_for_fork(); }
    void unlock_after_fork() noexcept { attachments.unlock_after_fork(); }

private:
    std::atomic<std::uint64_t> last_{0};
};

namespace {

/// A thread without a free cache takes one from another allocator at every 64th such operation.
constexpr std::uint32_t patience = 64;

/// It has no destructor with an effect: threads and allocators may end after all other objects.
constinit cache_hub hub;

} // namespace

/// The caches of a thread.
class thread_caches {
public:
    /// Returns: the caches of the calling thread, which it takes if it may have some; else null.
    [[nodiscard]] static thread_caches* of_this_thread() noexcept;

    [[nodiscard]] thread_cache* find(cache_owner& owner) noexcept {
        thread_cache* cache = with_key(owner.key_);
        if (cache == nullptr) {
            cache = open(owner);
        }
        if (cache != nullptr) {
            last_cache.key = owner.key_;
            last_cache.cache = cache;
        }
        return cache;
    }

    [[nodiscard]] static bool has_hub(const cache_owner& owner) noexcept { return &owner.hub_ == &hub; }

    static void detach_all(cache_owner& owner) noexcept {
        cache_hub& of_owner = owner.hub_;
        {
            const core::lock_guard lock(of_owner.attachments);
            while (owner.caches_ != nullptr) {
                detach(*owner.caches_);
            }
            owner.key_ = of_owner.new_key();
        }
        while (owner.returning_.any()) {
            platform::yield();
        }
    }

private:
    [[nodiscard]] thread_cache* with_key(std::uint64_t key) noexcept {
        for (thread_cache& cache : caches_) {
            if (cache.key.load(std::memory_order_relaxed) == key) {
                return &cache;
            }
        }
        return nullptr;
    }

    [[nodiscard]] thread_cache* open(cache_owner& owner) noexcept {
        // 0 is the key of a free cache.
        thread_cache* cache = with_key(0);
        if (cache == nullptr) {
            cache = evict_one();
        }
        if (cache != nullptr) {
            attach(*cache, owner);
        }
        return cache;
    }

    [[nodiscard]] thread_cache* evict_one() noexcept {
        if (last_cache.depth != 0 || ++refusals_ % patience != 0) {
            return nullptr;
        }
        thread_cache& cache = caches_[refusals_ / patience % caches_per_thread];
        detach_and_return(cache);
        return &cache;
    }

    static void attach(thread_cache& cache, cache_owner& owner) noexcept {
        const core::lock_guard lock(hub.attachments);
        // The magazines may still name blocks that their former owner has released.
        cache.magazines = {};
        cache.growth_bytes = most_growth_bytes;
        cache.owner = &owner;
        cache.previous = nullptr;
        cache.next = std::exchange(owner.caches_, &cache);
        if (cache.next != nullptr) {
            cache.next->previous = &cache;
        }
        cache.key.store(owner.key_, std::memory_order_relaxed);
    }

    /// Requires: the attachments are locked, and the cache has an owner.
    static void detach(thread_cache& cache) noexcept {
        (cache.previous != nullptr ? cache.previous->next : cache.owner->caches_) = cache.next;
        if (cache.next != nullptr) {
            cache.next->previous = cache.previous;
        }
        cache.owner = nullptr;
        cache.key.store(0, std::memory_order_relaxed);
    }

    /// Effects: detaches a cache of this thread and returns its blocks. The attachments are unlocked meanwhile,
    /// because a thread that has a pool's lock may need them.
    static void detach_and_return(thread_cache& cache) noexcept {
        cache_owner* const owner = detach_and_hold_owner(cache);
        if (last_cache.cache == &cache) {
            last_cache.key = 0;
        }
        if (owner != nullptr) {
            owner->take_back_(*owner, cache);
            owner->returning_.leave();
        }
    }

    [[nodiscard]] static cache_owner* detach_and_hold_owner(thread_cache& cache) noexcept {
        const core::lock_guard lock(hub.attachments);
        cache_owner* const owner = cache.owner;
        if (owner != nullptr) {
            owner->returning_.enter();
            detach(cache);
        }
        return owner;
    }

    static void close_own_caches() noexcept;

    std::array<thread_cache, caches_per_thread> caches_{};
    std::uint32_t refusals_ = 0;
};

namespace {

constinit MALLARD_THREAD_LOCAL thread_caches* own_caches = nullptr;
constinit MALLARD_THREAD_LOCAL thread_end_task closing{};

constinit rooms_for<thread_caches> rooms;
constinit fork_hold rooms_held = make_fork_hold<rooms>();
constinit fork_hold attachments_held = make_fork_hold<hub>();
const held_while_loaded rooms_while_loaded(rooms_held);
const held_while_loaded attachments_while_loaded(attachments_held);

} // namespace

thread_caches* thread_caches::of_this_thread() noexcept {
    if (own_caches == nullptr && !thread_has_closed()) {
        own_caches = rooms.take();
        if (own_caches != nullptr) {
            closing.run = close_own_caches;
            at_thread_close(closing);
        }
    }
    return own_caches;
}

void thread_caches::close_own_caches() noexcept {
    // A returned block may go to another allocator, which finds no cache of this thread now.
    thread_caches* const closed = std::exchange(own_caches, nullptr);
    for (thread_cache& cache : closed->caches_) {
        detach_and_return(cache);
    }
    rooms.put_back(closed);
}

cache_owner::cache_owner(take_back_function take_back) noexcept
    : key_(hub.new_key()), take_back_(take_back), hub_(hub) {}

thread_cache* cache_owner::find_cache() noexcept {
    if (!thread_caches::has_hub(*this)) {
        return nullptr;
    }
    thread_caches* const caches = thread_caches::of_this_thread();
    return caches != nullptr ? caches->find(*this) : nullptr;
}

void cache_owner::detach_caches() noexcept {
    thread_caches::detach_all(*this);
}

}} // namespace mallard::threads::MALLARD_LIBRARY
