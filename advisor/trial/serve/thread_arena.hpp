/// The blocks of the scope that one thread requested.
///
/// Data model: a mechanism of the library, which only the owner calls, over chunks of slices that belong to the arena
/// for ever. Blocks that other threads free are linked into a list until the owner's next request. An arena outlives
/// its thread, because its blocks may; another thread takes it over.
/// Owner: its thread, except for `returned_`.
#pragma once

#include "trial/report.hpp"
#include "trial/serve/region_upstream.hpp"
#include "trial/setting.hpp"
#include "trial/strategy.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard::trial {

class thread_arena {
public:
    /// Returns: an arena that only the calling thread uses, until release(); null if there is no memory.
    static thread_arena* acquire(const setting& settings, report& results) noexcept;

    /// Effects: lets another thread acquire the arena.
    void release() noexcept { taken_.store(false, std::memory_order_release); }

    /// Returns: false if the global allocator has to serve the request.
    [[nodiscard, gnu::always_inline]] bool serves(std::size_t bytes) const noexcept {
        return bytes < too_many_bytes_ && upstream_.has_room();
    }

    /// Effects: notes the last request of the scope.
    [[gnu::always_inline]] void note_request(std::size_t bytes, std::uint64_t return_address) noexcept {
        counts_.last_bytes = bytes;
        counts_.last_caller = return_address;
    }

    /// Returns: a block of at least `bytes`.
    /// Requires: serves(bytes).
    [[gnu::always_inline, gnu::returns_nonnull]] void* allocate(std::size_t bytes) noexcept {
        return allocate_(*this, bytes);
    }

    /// Effects: of a mechanism with places, takes what other threads returned, and enlarges the next place.
    /// Returns: true if the arena serves the request from now on; false if the global allocator has to, which is counted.
    [[gnu::cold, gnu::noinline]] bool makes_room(std::size_t bytes) noexcept;

    /// Effects: frees the block, on any thread. A double free ends the program.
    /// Requires: the_region.holds(block).
    [[gnu::always_inline]] static void deallocate(void* block, const thread_arena* local) noexcept {
        if (the_region.size_at(block) == region::no_block) [[unlikely]] {
            stop_at_wrong_free();
        }
        thread_arena* const owner = the_region.owner(block);
        if (owner == local) [[likely]] {
            owner->deallocate_(*owner, block);
        } else {
            owner->return_block(block);
        }
    }

    /// Returns: the usable size of the block.
    /// Requires: the_region.holds(block).
    static std::size_t usable_bytes(const void* block) noexcept {
        const std::size_t granules = the_region.size_at(block);
        return granules != region::size_in_front ? granules * region::granule : size_in_front(block);
    }

    /// Effects: changes the size of a block where it is.
    /// Returns: false if the block has to move.
    /// Requires: the_region.holds(block); `local` is the caller's arena, or null.
    static bool resize(void* block, std::size_t bytes, const thread_arena* local) noexcept {
        const std::size_t room = usable_bytes(block);
        if (bytes <= room && bytes > room / 2) {
            return true;
        }
        thread_arena* const owner = the_region.owner(block);
        return owner == local && owner->strategy_->resize != nullptr &&
               owner->strategy_->resize(*owner, block, bytes);
    }

    [[nodiscard]] counts& counted() noexcept { return counts_; }

    // For the strategies.
    template <typename Served>
    void construct() {
        ::new (static_cast<void*>(room_)) Served(upstream_);
    }
    template <typename Served>
    void* allocate_in(std::size_t bytes) noexcept;
    template <typename Served>
    void deallocate_in(void* block) noexcept;
    template <typename Served>
    bool make_room_in(std::size_t bytes) noexcept;
    template <typename Served>
    bool resize_in(void* block, std::size_t bytes) noexcept;

private:
    static constexpr std::size_t granule = region::granule;

    /// Larger blocks have their size in front.
    template <typename Served>
    static consteval std::size_t most_granules() {
        if constexpr (requires { Served::most_granules; }) {
            return Served::most_granules;
        }
        return region::size_in_front - 1;
    }

    thread_arena(const setting& settings, counts& results) noexcept;

    /// A large block has its size in the 16 bytes in front of it.
    static std::size_t& size_in_front(const void* block) noexcept {
        return *reinterpret_cast<std::size_t*>(static_cast<std::byte*>(const_cast<void*>(block)) - granule);
    }

    /// Effects: frees what other threads returned; lets the mechanism start again if no block is live.
    template <typename Served>
    [[gnu::noinline]] void prepare() noexcept;
    template <typename Served>
    [[gnu::noinline]] void* allocate_special(std::size_t bytes) noexcept;
    template <typename Served>
    [[gnu::noinline]] void deallocate_large(void* block, std::size_t bytes) noexcept;

    /// Returns: the number of live blocks, including returned ones.
    [[nodiscard]] std::uint64_t live() const noexcept {
        return counts_.served - counts_.freed - counts_.freed_by_others;
    }

    /// Effects: limits the requests to those that the mechanism can serve, if its blocks are few.
    template <typename Served>
    void update_limit() noexcept {
        if constexpr (requires(Served& mechanism) { mechanism.next_bytes(); }) {
            const std::size_t bytes = served<Served>().next_bytes();
            set_limit(bytes < granule ? 0 : bytes - granule + 1);
        }
    }
    void set_limit(std::size_t too_many_bytes) noexcept { too_many_bytes_ = too_many_bytes; }

    template <typename Served>
    Served& served() noexcept {
        return *std::launder(reinterpret_cast<Served*>(room_));
    }

    /// Effects: ends the program, as the global allocator does. With wrong counts the arena would rewind over live
    /// blocks.
    [[noreturn, gnu::cold, gnu::noinline]] static void stop_at_wrong_free() noexcept;
    [[gnu::noinline]] void reclaim_returned() noexcept;
    [[gnu::noinline]] void return_block(void* block) noexcept;

    const strategy* strategy_;
    decltype(strategy::allocate) allocate_; // copied from the strategy, to save an indirection
    decltype(strategy::deallocate) deallocate_;
    std::size_t most_bytes_;         ///< larger requests are never served
    std::size_t too_many_bytes_ = 0; ///< requests of this size and larger ones are not served now
    counts& counts_;
    region_upstream upstream_;
    std::atomic<bool> taken_{true};
    thread_arena* next_ = nullptr;
    alignas(64) std::atomic<void*> returned_{nullptr};
    alignas(64) std::byte room_[strategy::room_bytes];
};

// The common path is inlined into one function for each mechanism, as containers inline a local allocator.
template <typename Served>
void* thread_arena::allocate_in(std::size_t bytes) noexcept {
    constexpr bool can_start_again = requires(Served& mechanism) { mechanism.start_again(); };
    if (returned_.load(std::memory_order_relaxed) != nullptr || (can_start_again && live() == 0))
        [[unlikely]] {
        prepare<Served>();
    }
    ++counts_.served;
    counts_.served_bytes += bytes;
    const std::size_t granules = (bytes + granule - 1) / granule;
    if (granules - 1 >= most_granules<Served>()) [[unlikely]] {
        return allocate_special<Served>(bytes);
    }
    void* const block = served<Served>().allocate(granules * granule);
    the_region.size_at(block) = static_cast<std::uint8_t>(granules);
    return block;
}

template <typename Served>
void thread_arena::prepare() noexcept {
    if (returned_.load(std::memory_order_relaxed) != nullptr) {
        reclaim_returned();
    }
    if constexpr (requires(Served& mechanism) { mechanism.start_again(); }) {
        if (live() == 0) {
            served<Served>().start_again();
            ++counts_.started_again;
        }
    }
}

template <typename Served>
void* thread_arena::allocate_special(std::size_t bytes) noexcept {
    if (bytes == 0 && most_granules<Served>() != 0) {
        void* const block = served<Served>().allocate(granule);
        the_region.size_at(block) = 1;
        return block;
    }
    const std::size_t size = bytes == 0 ? granule : (bytes + granule - 1) / granule * granule;
    auto* const block = static_cast<std::byte*>(served<Served>().allocate(size + granule)) + granule;
    size_in_front(block) = size;
    the_region.size_at(block) = region::size_in_front;
    update_limit<Served>();
    return block;
}

template <typename Served>
void thread_arena::deallocate_in(void* block) noexcept {
    ++counts_.freed;
    std::uint8_t& size = the_region.size_at(block);
    const std::size_t granules = size;
    size = region::no_block;
    if (granules != region::size_in_front) [[likely]] {
        served<Served>().deallocate(block, granules * granule);
    } else {
        deallocate_large<Served>(static_cast<std::byte*>(block) - granule, size_in_front(block) + granule);
    }
}

template <typename Served>
void thread_arena::deallocate_large(void* block, std::size_t bytes) noexcept {
    served<Served>().deallocate(block, bytes);
    update_limit<Served>();
}

template <typename Served>
bool thread_arena::make_room_in(std::size_t bytes) noexcept {
    const bool has_room = served<Served>().make_room((bytes + granule - 1) / granule * granule + granule);
    update_limit<Served>();
    return has_room;
}

template <typename Served>
bool thread_arena::resize_in(void* block, std::size_t bytes) noexcept {
    const std::size_t size = (bytes + granule - 1) / granule * granule;
    if (bytes > most_bytes_ ||
        !served<Served>().resize(static_cast<std::byte*>(block) - granule, size + granule)) {
        return false;
    }
    size_in_front(block) = size;
    return true;
}

} // namespace mallard::trial
