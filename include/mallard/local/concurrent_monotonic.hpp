/// A monotonic allocator that many threads share: a block costs an atomic addition, and the owner releases all of them.
///
///     chunks_ -> chunk                       chunk of a large block    the current chunk
///                [ header | blocks .... ]    [ header | block ]        [ header | blocks of all threads .. | free .... ]
///                                                                      ^ current_                         ^ used
///
/// Data model: a list of chunks, and a pointer to the current one. The header of a chunk has the bytes of its room that are
/// taken. A thread adds the bytes of its request to that number, and owns the bytes between the old number and the new one. If
/// they are not all in the room, or the request is large, it locks the allocator and takes a chunk; another thread may
/// have replaced the current one meanwhile. deallocate() has no effect.
/// Invariants: the upstream is called under the lock only, so it need not be thread-safe. A chunk stays until release(), so a
/// thread that read current_ may use that chunk at any later time. `used` exceeds the room by less than the threads in
/// allocate() times largest_shared_bytes, and one request under the lock: it never wraps. Blocks lie at multiples of 8; a request at 16 has up to 8
/// bytes of padding. `used` shares no cache line with the room, nor current_ with the lock.
/// Bound: as in a monotonic, a chunk is replaced only if the request finds less than a sixteenth of the next one free, or as
/// long as chunks grow. Chunks begin at 4 KiB, because threads share them.
///
/// For threads that build one result, as a parallel parse or a frame, and free no block. Threads with a monotonic each share no
/// cache lines and are faster; then each holds a chunk, and all allocators must be released.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/chunk_growth.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/mutex.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/checking/by_default.hpp>
#include <mallard/impl/chunks/growth.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>
#include <mallard/local/fwd.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

struct concurrent_monotonic_options {
    chunk_growth growth{.first_chunk_bytes = std::size_t{4} << 10};
};

}} // namespace mallard::MALLARD_MODE

namespace mallard::unchecked { inline namespace MALLARD_MODE {

/// Thread-safe, apart from release() and the end of the allocator. Neither copied nor moved.
template <upstream Upstream>
class alignas(cache_line_bytes) concurrent_monotonic {
public:
    using upstream_type = Upstream;

    /// Effects: makes an allocator that asks for nothing until its first request: in static storage a constant (constinit).
    explicit constexpr concurrent_monotonic(concurrent_monotonic_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : next_(options.growth) {}

    /// Requires: `source` outlives the allocator.
    explicit constexpr concurrent_monotonic(core::upstream_argument<Upstream> source,
                                            concurrent_monotonic_options options = {}) noexcept
        : next_(options.growth), upstream_(source) {}

    concurrent_monotonic(const concurrent_monotonic&) = delete;
    concurrent_monotonic& operator=(const concurrent_monotonic&) = delete;

    /// Requires: no thread is in an operation of this allocator or uses a block of it.
    ~concurrent_monotonic() { release(); }

    /// Returns: `bytes` bytes at a multiple of `alignment`. Zero bytes get a block of one.
    /// Throws: std::bad_alloc, or the upstream's exceptions; the allocator is unchanged then.
    /// Complexity: an atomic addition, apart from the lock and calls upstream when the chunk is full.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (void* const block = take(current_.load(std::memory_order_acquire), bytes, alignment)) [[likely]] {
            return block;
        }
        return allocate_slowly<false>(bytes, alignment);
    }

    /// Returns: the result of allocate(); null, with no effect, if there is no memory (nothrow_upstream).
    /// Complexity: that of allocate().
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (void* const block = take(current_.load(std::memory_order_acquire), bytes, alignment)) [[likely]] {
            return block;
        }
        return allocate_slowly<true>(bytes, alignment);
    }

    /// Effects: the block must not be used any more. Its memory comes back with the release.
    /// Requires: `p` came from allocate(bytes, alignment) of this allocator, in any thread, and was not deallocated since.
    /// Complexity: constant.
    static void deallocate(void* p, [[maybe_unused]] std::size_t bytes,
                           std::size_t = fundamental_alignment) noexcept {
        core::expect_usable(p);
        core::poison(p, core::max<std::size_t>(bytes, 1));
    }

    /// Effects: returns all chunks to the upstream, and invalidates all blocks.
    /// Requires: no thread is in an operation of this allocator or uses a block of it; allocators over this one were
    /// released before, or are never used again.
    /// Complexity: linear in the chunks.
    void release() noexcept {
        const core::lock_guard lock(mutex_);
        current_.store(nullptr, std::memory_order_relaxed);
        while (chunks_ != nullptr) {
            chunk* const c = std::exchange(chunks_, chunks_->next);
            const std::size_t bytes = c->bytes;
            core::unpoison(c, bytes);
            core::give_back(upstream_.get(), c, bytes, alignof(chunk));
        }
        next_.restart();
    }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        const core::lock_guard lock(mutex_);
        allocator_stats s{.upstream_calls = upstream_calls_};
        for (const chunk* c = chunks_; c != nullptr; c = c->next) {
            ++s.chunks;
            s.chunk_bytes += c->bytes;
        }
        return s;
    }

    /// Returns: true if `p` lies in a chunk, in a block or free.
    /// Complexity: linear in the chunks.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        const core::lock_guard lock(mutex_);
        for (chunk* c = chunks_; c != nullptr; c = c->next) {
            if (core::lies_in({c->begin(), c->room_bytes()}, p)) {
                return true;
            }
        }
        return false;
    }

    /// The largest request, with its padding, that is served without the lock.
    static constexpr std::size_t largest_shared_bytes = std::size_t{64} << 10;

    // ---- for a fork

    /// Effects: lets no other thread take a chunk, so that the child of a fork finds the list whole. The calling thread
    /// may go on with it. For a handler of pthread_atfork(); an allocator that a type names (bind/pool_tag.hpp) has one.
    /// Requires: the calling thread is not in an operation of this allocator.
    void lock_for_fork() noexcept { mutex_.lock_for_fork(); }

    /// Effects: those of lock_for_fork(), if no thread is in an operation.
    /// Returns: true if it has an effect.
    [[nodiscard]] bool try_lock_for_fork() noexcept { return mutex_.try_lock_for_fork(); }

    /// Effects: lets other threads in again, in the process that forked and in its child.
    void unlock_after_fork() noexcept { mutex_.unlock_after_fork(); }

private:
    struct alignas(fundamental_alignment) chunk {
        std::atomic<std::size_t> used; ///< bytes of the room; more than it has if a request has found it full
        chunk* next;
        std::size_t bytes; ///< as requested from the upstream

        [[nodiscard]] std::byte* begin() noexcept {
            return reinterpret_cast<std::byte*>(this) + header_bytes;
        }
        [[nodiscard]] std::size_t room_bytes() const noexcept { return bytes - header_bytes; }
    };

    static constexpr std::size_t granule = 8;
    /// The line of `used`, wherever the chunk begins.
    static constexpr std::size_t header_bytes = cache_line_bytes;
    static_assert(sizeof(chunk) <= header_bytes);

    /// Returns: the bytes of a request with what its alignment may cost in a room that begins at fundamental_alignment;
    /// more than any room has if they are not representable.
    [[nodiscard]] static std::size_t padded_bytes(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t extra = core::max(alignment, granule) - granule;
        constexpr std::size_t most = SIZE_MAX - header_bytes - fundamental_alignment;
        if (bytes > most || extra > most - bytes) {
            return SIZE_MAX;
        }
        return core::align_up(core::max<std::size_t>(bytes, 1), granule) + extra;
    }

    /// Returns: a block of the chunk; null if there is none, the chunk is full, or the request needs more than `most_bytes`.
    [[nodiscard, gnu::always_inline]] static void*
    take(chunk* from, std::size_t bytes, std::size_t alignment,
         std::size_t most_bytes = largest_shared_bytes) noexcept {
        if (from == nullptr) [[unlikely]] {
            return nullptr;
        }
        const std::size_t padded = padded_bytes(bytes, alignment);
        const std::size_t room = from->room_bytes();
        if (padded > most_bytes || padded > room ||
            from->used.load(std::memory_order_relaxed) > room - padded) [[unlikely]] {
            return nullptr;
        }
        const std::size_t offset = from->used.fetch_add(padded, std::memory_order_relaxed);
        if (offset > room - padded) [[unlikely]] {
            return nullptr; // another thread was faster
        }
        return hand_out(from->begin() + offset, bytes, alignment);
    }

    [[gnu::always_inline]] static void* hand_out(std::byte* begin, std::size_t bytes,
                                                 std::size_t alignment) noexcept {
        std::byte* const block = begin + (alignment > granule ? core::padding_to(begin, alignment) : 0);
        core::unpoison(block, core::max<std::size_t>(bytes, 1));
        return core::known(block);
    }

    template <bool Quiet>
    [[gnu::cold, gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment);

    std::atomic<chunk*> current_{nullptr};
    alignas(cache_line_bytes) mutable threads::fork_mutex mutex_;
    chunk* chunks_ = nullptr; ///< guarded by the mutex, as the members below
    std::size_t upstream_calls_ = 0;
    chunks::next_chunk next_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<Upstream> upstream_;
};

template <upstream Upstream>
template <bool Quiet>
void* concurrent_monotonic<Upstream>::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    const std::size_t padded = padded_bytes(bytes, alignment);
    const core::lock_guard lock(mutex_);
    chunk* const current = current_.load(std::memory_order_relaxed);
    if (void* const block = take(current, bytes, alignment, SIZE_MAX)) {
        return block;
    }
    constexpr std::size_t overhead = header_bytes + fundamental_alignment - 1;
    if (padded > SIZE_MAX - overhead) {
        if constexpr (Quiet) {
            return nullptr;
        } else {
            core::fail_as_upstream(upstream_.get(), bytes, alignment);
        }
    }
    const std::size_t least_bytes = core::align_down(padded + overhead, fundamental_alignment);
    std::size_t chunk_bytes = next_.bytes_for(least_bytes);
    std::size_t free_bytes = 0;
    if (current != nullptr) {
        const std::size_t room = current->room_bytes();
        free_bytes = room - core::min(room, current->used.load(std::memory_order_relaxed));
    }
    // As in a monotonic: few chunks as long as they grow, and then none with a large rest.
    if (free_bytes > chunk_bytes / 16 &&
        (chunk_bytes > next_.bytes() || chunk_bytes == next_.largest_bytes())) {
        chunk_bytes = least_bytes;
    }
    chunk* const taken = chunks::take_chunk<Quiet>(
        upstream_, chunk_bytes, least_bytes, [this](auto&& source, std::size_t size) -> chunk* {
            void* const memory = source.allocate(size, alignof(chunk));
            if constexpr (core::is_quiet<std::remove_reference_t<decltype(source)>>) {
                if (memory == nullptr) {
                    return nullptr;
                }
            }
            auto* const added = ::new (memory) chunk{.used = 0, .next = chunks_, .bytes = size};
            core::poison(added->begin(), added->room_bytes());
            chunks_ = added;
            return added;
        });
    if (Quiet && taken == nullptr) {
        return nullptr;
    }
    // A block with a dedicated chunk implies nothing about the size of the next one.
    next_.took(chunk_bytes == least_bytes ? next_.bytes() : chunk_bytes, least_bytes);
    ++upstream_calls_;
    taken->used.store(padded, std::memory_order_relaxed);
    void* const block = hand_out(taken->begin(), bytes, alignment);
    if (taken->room_bytes() - padded > free_bytes || current == nullptr) {
        current_.store(taken, std::memory_order_release);
    }
    return block;
}

}} // namespace mallard::unchecked::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <upstream Upstream>
inline constexpr bool thread_safe<unchecked::concurrent_monotonic<Upstream>> = true;

template <upstream Upstream>
class concurrent_monotonic : public checking::by_default<unchecked::concurrent_monotonic<Upstream>> {
    using base = checking::by_default<unchecked::concurrent_monotonic<Upstream>>;

public:
    using upstream_type = Upstream;

    static constexpr std::size_t largest_shared_bytes =
        unchecked::concurrent_monotonic<Upstream>::largest_shared_bytes;

    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr concurrent_monotonic() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...> && (!std::is_constructible_v<base, First, Args...>)
    concurrent_monotonic(First&&, Args&&...) = delete; // it takes an upstream, and sizes in its options

    template <core::foreign_upstream<concurrent_monotonic> Source, class... Args>
        requires(!std::is_constructible_v<base, Source&, Args...>)
    concurrent_monotonic(Source&, Args&&...) = delete; // its type names the upstream: omit the <>

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // std::pmr takes the address of a mallard::resource
};

template <upstream Upstream>
inline constexpr bool thread_safe<concurrent_monotonic<Upstream>> = true;

// One for each constructor, because nothing is deduced from inherited constructors.
concurrent_monotonic(concurrent_monotonic_options = {}) -> concurrent_monotonic<>;
template <upstream Upstream>
concurrent_monotonic(Upstream&, concurrent_monotonic_options = {}) -> concurrent_monotonic<Upstream>;
template <upstream_reference Reference>
concurrent_monotonic(const Reference&, concurrent_monotonic_options = {}) -> concurrent_monotonic<Reference>;

static_assert(local_allocator<concurrent_monotonic<>>);

}} // namespace mallard::MALLARD_MODE
