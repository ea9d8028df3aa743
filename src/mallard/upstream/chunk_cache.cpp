#include "../impl/threads/thread_rooms.hpp"
#include "chunk_bins.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/mutex.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>
#include <mallard/impl/threads/thread_end.hpp>
#include <mallard/reuse/size_classes.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/pages.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace mallard { inline namespace MALLARD_LIBRARY {

using namespace chunk_bins;

namespace {

std::atomic<std::size_t> thread_limit_bytes{chunk_cache_limits{}.thread_bytes};
std::atomic<std::size_t> shared_limit_bytes{chunk_cache_limits{}.shared_bytes};
std::atomic<std::size_t> least_offered_bytes{chunk_cache_limits{}.least_offered_bytes};

std::size_t least_offered() noexcept {
    const std::size_t least = least_offered_bytes.load(std::memory_order_relaxed);
    if (least != chunk_cache_limits::in_huge_pages) {
        return least;
    }
    return pages::has_huge_pages() ? pages::huge_page_bytes() : SIZE_MAX;
}

/// Enough for all chunks within the default limits, if all have the smallest size. More of them go to the next
/// place: the shared bins, or the system.
using own_bins = bins_for<chunk_cache_limits{}.thread_bytes / least_page_bytes>;
using all_bins = bins_for<chunk_cache_limits{}.shared_bytes / least_page_bytes>;

/// Returns: a chunk; null if the system has none, without a call of the out-of-memory handler.
[[gnu::cold]] void* try_to_take_from_system(std::size_t bytes, std::size_t alignment) noexcept {
    return bytes < least_page_bytes ? new_delete::try_allocate(bytes, alignment)
                                    : pages().try_allocate(bytes, alignment);
}

[[gnu::cold]] void give_to_system(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes < least_page_bytes) {
        new_delete::deallocate(p, bytes, alignment);
    } else {
        pages().deallocate(p, bytes, alignment);
    }
}

/// Their memory is mapped for the first chunk, because most programs share none.
class shared_bins {
public:
    [[nodiscard, gnu::cold, gnu::noinline]] void* take(std::size_t index, std::size_t alignment) noexcept {
        // Avoids the lock as long as no chunk is shared.
        if (approximate_bytes_.load(std::memory_order_relaxed) == 0) {
            return nullptr;
        }
        const core::lock_guard lock(mutex_);
        void* p = bins_->take(index, alignment);
        note_bytes();
        return p;
    }

    [[gnu::cold, gnu::noinline]] void put(void* p, std::size_t index) noexcept {
        const std::size_t bytes = chunk_bytes(index);
        const std::size_t limit_bytes = shared_limit_bytes.load(std::memory_order_relaxed);
        const core::lock_guard lock(mutex_);
        if (bytes <= limit_bytes && (bins_ != nullptr || map()) &&
            bins_->make_room(bytes, limit_bytes, to_system) && bins_->put(p, index, least_offered)) {
            bins_->decay(1, decay_bytes(bytes), to_system);
            note_bytes();
        } else {
            give_to_system(p, bytes, chunk_alignment(index));
        }
    }

    /// Effects: counts a quarter of a thread's step, for which `bytes` may move on to the system. Without this, chunks
    /// of a peak would stay until threads return more.
    [[gnu::cold]] void age(std::size_t bytes) noexcept {
        if (approximate_bytes_.load(std::memory_order_relaxed) == 0) {
            return;
        }
        const core::lock_guard lock(mutex_);
        bins_->decay(operations_a_step / 4, bytes, to_system);
        note_bytes();
    }

    [[gnu::cold]] void empty() noexcept {
        if (approximate_bytes_.load(std::memory_order_relaxed) == 0) {
            return;
        }
        const core::lock_guard lock(mutex_);
        bins_->empty(to_system);
        note_bytes();
    }

    // ---- for a fork

    void lock_for_fork() noexcept { mutex_.lock_for_fork(); }
    [[nodiscard]] bool try_lock_for_fork() noexcept { return mutex_.try_lock_for_fork(); }
    void unlock_after_fork() noexcept { mutex_.unlock_after_fork(); }

    [[nodiscard]] std::size_t bytes() const noexcept {
        return approximate_bytes_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] std::size_t offered_bytes() const noexcept {
        return approximate_offered_bytes_.load(std::memory_order_relaxed);
    }

private:
    [[gnu::cold]] static void to_system(void* p, std::size_t index) noexcept {
        give_to_system(p, chunk_bytes(index), chunk_alignment(index));
    }

    /// Returns: false if there is no memory.
    [[gnu::cold, gnu::noinline]] bool map() noexcept {
        void* const memory = pages().try_allocate(sizeof(all_bins));
        bins_ = memory == nullptr ? nullptr : ::new (memory) all_bins;
        return bins_ != nullptr;
    }

    void note_bytes() noexcept {
        approximate_bytes_.store(bins_->bytes(), std::memory_order_relaxed);
        approximate_offered_bytes_.store(bins_->offered_bytes(), std::memory_order_relaxed);
    }

    threads::fork_mutex mutex_;
    bins* bins_ = nullptr; ///< never unmapped; not null if a chunk is shared
    std::atomic<std::size_t> approximate_bytes_{0};
    std::atomic<std::size_t> approximate_offered_bytes_{0};
};

/// Its destructor has no effect: allocators with static storage duration may release after all other objects
/// ended.
constinit shared_bins shared;

constinit threads::fork_hold shared_held = threads::make_fork_hold<shared>();

void to_shared(void* p, std::size_t index) noexcept {
    shared.put(p, index);
}

constinit threads::rooms_for<own_bins> rooms;
constinit threads::fork_hold rooms_held = threads::make_fork_hold<rooms>();
const threads::held_while_loaded shared_while_loaded(shared_held);
const threads::held_while_loaded rooms_while_loaded(rooms_held);

/// Null in a thread that has returned no chunk. A closing thread empties its bins. Chunks that it releases after that go to
/// the shared bins.
constinit MALLARD_THREAD_LOCAL own_bins* thread_bins = nullptr;
constinit MALLARD_THREAD_LOCAL threads::thread_end_task closing{};

[[gnu::cold]] void close_bins() noexcept {
    own_bins* const closed = std::exchange(thread_bins, nullptr);
    closed->empty(to_shared);
    rooms.put_back(closed);
}

std::size_t own_bytes() noexcept {
    return thread_bins == nullptr ? 0 : thread_bins->bytes();
}

/// Returns: false if this thread has closed, or there is no memory for its bins.
[[gnu::cold, gnu::noinline]] bool open_bins() noexcept {
    if (threads::thread_has_closed()) {
        return false;
    }
    own_bins* const opened = rooms.take();
    if (opened == nullptr) {
        return false;
    }
    thread_bins = opened;
    closing.run = close_bins;
    threads::at_thread_close(closing);
    return true;
}

/// Returns: a chunk from the system; null if it has none. Before that, gives all waiting chunks back.
[[gnu::cold, gnu::noinline]] void* take_from_system(std::size_t bytes, std::size_t alignment) noexcept {
    void* p = try_to_take_from_system(bytes, alignment);
    // A request that no machine can serve does not empty the bins.
    constexpr std::size_t most = PTRDIFF_MAX / 2;
    if (p == nullptr && bytes <= most && alignment <= most && own_bytes() + shared.bytes() != 0) {
        chunk_cache::trim();
        p = try_to_take_from_system(bytes, alignment);
    }
    return p;
}

} // namespace

void* chunk_cache::allocate(std::size_t bytes, std::size_t alignment) {
    void* const p = try_allocate(bytes, alignment);
    if (p == nullptr) [[unlikely]] {
        core::fail_allocation(bytes, alignment);
    }
    return p;
}

void* chunk_cache::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    bins* const mine = thread_bins;
    const std::size_t index = bin_index(bytes, alignment);
    if (index == bin_count) [[unlikely]] {
        return take_from_system(bytes, alignment);
    }
    void* p = mine == nullptr ? nullptr : mine->take(index, alignment);
    if (p == nullptr) [[unlikely]] {
        p = shared.take(index, alignment);
        if (p == nullptr) {
            p = take_from_system(chunk_bytes(index), std::max(alignment, chunk_alignment(index)));
            if (p == nullptr) {
                return nullptr;
            }
        }
    }
    core::poison(static_cast<std::byte*>(p) + bytes, chunk_bytes(index) - bytes);
    return p;
}

void chunk_cache::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t index = bin_index(bytes, alignment);
    if (index == bin_count) [[unlikely]] {
        give_to_system(p, bytes, alignment);
        return;
    }
    core::unpoison(p, chunk_bytes(index));
    if (thread_bins == nullptr && !open_bins()) [[unlikely]] {
        to_shared(p, index);
        return;
    }
    bins& mine = *thread_bins;
    const std::size_t limit_bytes = thread_limit_bytes.load(std::memory_order_relaxed);
    if (!mine.make_room(chunk_bytes(index), limit_bytes, to_shared) || !mine.put(p, index, least_offered))
        [[unlikely]] {
        to_shared(p, index);
        return;
    }
    if (const std::size_t bytes_a_step = mine.decay(1, decay_bytes(bytes), to_shared)) [[unlikely]] {
        shared.age(bytes_a_step);
    }
}

void chunk_cache::discard(void* p, std::size_t bytes) noexcept {
    pages::discard(p, bytes);
}

void chunk_cache::trim() noexcept {
    if (thread_bins != nullptr) {
        thread_bins->empty(to_shared);
    }
    shared.empty();
}

void chunk_cache::set_limits(chunk_cache_limits limits) noexcept {
    thread_limit_bytes.store(limits.thread_bytes, std::memory_order_relaxed);
    shared_limit_bytes.store(limits.shared_bytes, std::memory_order_relaxed);
    least_offered_bytes.store(limits.least_offered_bytes, std::memory_order_relaxed);
}

chunk_cache_stats chunk_cache::stats() noexcept {
    const std::size_t own_offered = thread_bins == nullptr ? 0 : thread_bins->offered_bytes();
    return {.thread_bytes = own_bytes(),
            .shared_bytes = shared.bytes(),
            .offered_bytes = own_offered + shared.offered_bytes()};
}

}} // namespace mallard::MALLARD_LIBRARY
