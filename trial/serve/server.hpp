/// The blocks of the scope that one thread asked for.
///
/// Data model: a mechanism of the library, which only the owner calls, over chunks of slices that are the server's for ever.
/// Blocks that other threads free wait in a list through themselves until the owner's next request. A server stays when its
/// thread ends, because its blocks may live on; another thread takes it over.
/// Owner: its thread, all but `returned_`.
#pragma once

#include "trial/report.hpp"
#include "trial/serve/region_upstream.hpp"
#include "trial/serve/strategy.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard::trial {

class server {
public:
    /// Returns: a server that only the calling thread uses, until give_up(); null if there is no memory.
    static server* take(const strategy& by, std::size_t most_bytes, report& into) noexcept;

    /// Effects: another thread may take the server.
    void give_up() noexcept { taken_.store(false, std::memory_order_release); }

    /// Returns: a block of at least `bytes`; null if the global allocator is to serve the request.
    [[gnu::always_inline]] void* allocate(std::size_t bytes) noexcept {
        if (bytes >= too_many_bytes_ || !upstream_.has_room()) [[unlikely]] {
            return refuse();
        }
        return allocate_(*this, bytes);
    }

    /// Effects: the block is free, on whatever thread. One that is free already ends the program.
    /// Requires: the_region.holds(block).
    [[gnu::always_inline]] static void deallocate(void* block, const server* mine) noexcept {
        if (the_region.size_at(block) == region::no_block) [[unlikely]] {
            stop_at_wrong_free();
        }
        server* const owner = the_region.owner_of(block);
        if (owner == mine) [[likely]] {
            owner->deallocate_(*owner, block);
        } else {
            owner->give_back(block);
        }
    }

    /// Returns: the bytes that the block has room for.
    /// Requires: the_region.holds(block).
    static std::size_t bytes_of(const void* block) noexcept {
        const std::size_t granules = the_region.size_at(block);
        return granules != region::size_in_front ? granules * region::granule : size_in_front(block);
    }

    [[nodiscard]] counts& counted() noexcept { return counts_; }

    // For the strategies.
    template <typename Served>
    void make() {
        ::new (static_cast<void*>(room_)) Served(upstream_);
    }
    template <typename Served>
    void* allocate_in(std::size_t bytes) noexcept;
    template <typename Served>
    void deallocate_in(void* block) noexcept;

private:
    static constexpr std::size_t granule = region::granule;
    static constexpr std::size_t most_granules = region::size_in_front - 1;

    server(const strategy& by, std::size_t most_bytes, counts& into) noexcept;

    /// A large block has its size in the 16 bytes in front of it.
    static std::size_t& size_in_front(const void* block) noexcept {
        return *reinterpret_cast<std::size_t*>(static_cast<std::byte*>(const_cast<void*>(block)) - granule);
    }

    template <typename Served>
    [[gnu::noinline]] void* allocate_unusual(std::size_t bytes) noexcept;
    template <typename Served>
    [[gnu::noinline]] void deallocate_large(void* block, std::size_t bytes) noexcept;

    /// Returns: the blocks that are not free, those that wait included.
    [[nodiscard]] std::uint64_t live() const noexcept {
        return counts_.served - counts_.freed - counts_.freed_by_others;
    }

    template <typename Served>
    Served& served() noexcept {
        return *std::launder(reinterpret_cast<Served*>(room_));
    }

    [[gnu::cold, gnu::noinline]] void* refuse() noexcept;
    /// Effects: ends the program, as the global allocator does. Counts that are wrong would rewind over live blocks.
    [[noreturn, gnu::cold, gnu::noinline]] static void stop_at_wrong_free() noexcept;
    [[gnu::noinline]] void take_back() noexcept;
    [[gnu::noinline]] void give_back(void* block) noexcept;

    const strategy* strategy_;
    decltype(strategy::allocate) allocate_; // the strategy's, one step nearer
    decltype(strategy::deallocate) deallocate_;
    std::size_t too_many_bytes_; ///< requests of so many bytes and more are not served
    counts& counts_;
    region_upstream upstream_;
    std::atomic<bool> taken_{true};
    server* next_ = nullptr;
    alignas(64) std::atomic<void*> returned_{nullptr};
    alignas(64) std::byte room_[strategy::room_bytes];
};

// What is not rare is inlined into one function for each mechanism, as containers inline a local allocator.
template <typename Served>
void* server::allocate_in(std::size_t bytes) noexcept {
    if (returned_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
        take_back();
    }
    if constexpr (requires(Served& mechanism) { mechanism.start_again(); }) {
        if (live() == 0) [[unlikely]] {
            served<Served>().start_again();
            ++counts_.started_again;
        }
    }
    ++counts_.served;
    counts_.served_bytes += bytes;
    const std::size_t granules = (bytes + granule - 1) / granule;
    if (granules - 1 >= most_granules) [[unlikely]] {
        return allocate_unusual<Served>(bytes);
    }
    void* const block = served<Served>().allocate(granules * granule);
    the_region.size_at(block) = static_cast<std::uint8_t>(granules);
    return block;
}

template <typename Served>
void* server::allocate_unusual(std::size_t bytes) noexcept {
    if (bytes == 0) {
        void* const block = served<Served>().allocate(granule);
        the_region.size_at(block) = 1;
        return block;
    }
    const std::size_t size = (bytes + granule - 1) / granule * granule;
    auto* const block = static_cast<std::byte*>(served<Served>().allocate(size + granule)) + granule;
    size_in_front(block) = size;
    the_region.size_at(block) = region::size_in_front;
    return block;
}

template <typename Served>
void server::deallocate_in(void* block) noexcept {
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
void server::deallocate_large(void* block, std::size_t bytes) noexcept {
    served<Served>().deallocate(block, bytes);
}

} // namespace mallard::trial
