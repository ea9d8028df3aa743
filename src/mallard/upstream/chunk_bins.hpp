// The bins of released chunks, by size class. Each thread has bins, and all threads share some.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/size_classes.hpp>
#include <mallard/upstream/pages.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace mallard::chunk_bins::inline MALLARD_LIBRARY {

inline constexpr std::size_t largest_cached_bytes = std::size_t{64} << 20;
inline constexpr std::size_t class_count = eighth_classes::index(largest_cached_bytes) + 1;
/// Smaller chunks come from operator new: pages are too coarse for them, and mappings are a limited resource.
inline constexpr std::size_t least_page_bytes = std::size_t{128} << 10;
inline constexpr std::uint32_t operations_an_epoch = 1024;

/// Slabs of 4 KiB to 64 KiB that lie at multiples of their size have bins behind those of the size classes. Larger ones
/// are pages, which have one bin at any alignment.
inline constexpr std::size_t least_slab_bytes = std::size_t{4} << 10;
inline constexpr std::size_t slab_bin_count = core::bit_width(least_page_bytes / least_slab_bytes) - 1;
inline constexpr std::size_t bin_count = class_count + slab_bin_count;

/// Returns: the bin of chunks for a request that operator new does not align; bin_count if such chunks do not wait.
[[gnu::cold, gnu::noinline]] constexpr std::size_t slab_bin_index(std::size_t bytes,
                                                                  std::size_t alignment) noexcept {
    return bytes >= least_slab_bytes && is_power_of_two(bytes) && alignment <= bytes
               ? class_count + core::bit_width(bytes / least_slab_bytes) - 1
               : bin_count;
}

/// Returns: the bin of chunks for a request; bin_count if such chunks do not wait.
constexpr std::size_t bin_index(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t index = eighth_classes::index(std::max(bytes, sizeof(void*)));
    if (index >= class_count) {
        return bin_count;
    }
    if (alignment <= fundamental_alignment || eighth_classes::bytes(index) >= least_page_bytes) [[likely]] {
        return index;
    }
    return slab_bin_index(bytes, alignment);
}

/// Returns: the size of the chunks of a bin.
constexpr std::size_t chunk_bytes(std::size_t index) noexcept {
    return index < class_count ? eighth_classes::bytes(index) : least_slab_bytes << (index - class_count);
}

/// Returns: the alignment that all chunks of a bin have, and are given back with.
constexpr std::size_t chunk_alignment(std::size_t index) noexcept {
    return index < class_count ? fundamental_alignment : chunk_bytes(index);
}

/// Chunks that were offered to the system. The list lies outside them, because a write takes a page off the
/// offer. A list is the number of its first entry; 0 if it is empty. Entries are written before they are read, so that
/// those of a peak that never comes take no memory.
class offered_chunks {
public:
    struct entry {
        void* chunk;
        std::uint32_t next;
    };

    offered_chunks(entry* entries, std::uint32_t capacity) noexcept
        : entries_(entries), capacity_(capacity) {}

    /// Returns: true if there was room.
    [[nodiscard]] bool put(std::uint32_t& list, void* chunk) noexcept {
        std::uint32_t number = unused_;
        if (number != 0) {
            unused_ = at(number).next;
        } else if (opened_ != capacity_) {
            number = ++opened_;
        } else {
            return false;
        }
        at(number) = {chunk, list};
        list = number;
        return true;
    }

    /// Returns: the newest chunk.
    /// Requires: the list is not empty.
    [[nodiscard]] void* first(std::uint32_t list) const noexcept { return entries_[list - 1].chunk; }

    /// Effects: takes the newest chunk off the list.
    void drop_first(std::uint32_t& list) noexcept {
        const std::uint32_t number = list;
        list = std::exchange(at(number).next, unused_);
        unused_ = number;
    }

private:
    [[nodiscard]] entry& at(std::uint32_t number) noexcept { return entries_[number - 1]; }

    entry* entries_;
    std::uint32_t capacity_;
    std::uint32_t unused_ = 0;
    std::uint32_t opened_ = 0;
};

/// The waiting chunks of each size class: warm ones in a list through themselves, and offered ones.
///
/// `idle` is the smallest number of waiting chunks in the current epoch: the chunks that were never needed.
class bins {
public:
    /// A function that takes a chunk of a bin.
    using receiver = void (*)(void* chunk, std::size_t index) noexcept;

    bins(offered_chunks::entry* entries, std::uint32_t most_offered) noexcept
        : offered_(entries, most_offered) {}
    bins(const bins&) = delete; // the entries lie behind the bins
    bins& operator=(const bins&) = delete;

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t offered_bytes() const noexcept { return offered_bytes_; }

    /// Returns: the newest warm chunk, or else the newest offered one; null if there is none at a multiple of
    /// `alignment`.
    [[nodiscard, gnu::always_inline]] void* take(std::size_t index, std::size_t alignment) noexcept {
        bin& from = bins_[index];
        const std::size_t bytes = chunk_bytes(index);
        waiting_chunk* const taken = from.warm;
        if (taken == nullptr || !core::is_aligned(taken, alignment)) [[unlikely]] {
            return from.offered == 0 ? nullptr : take_offered(from, bytes, alignment);
        }
        core::unpoison(taken, bytes);
        from.warm = taken->next;
        forget(taken, from, bytes);
        return taken;
    }

    /// Effects: puts the chunk in. Offers it to the system if it has `least_offered()` bytes or more.
    /// Returns: true if there was room.
    [[nodiscard, gnu::always_inline]] bool put(void* p, std::size_t index,
                                               std::size_t (*least_offered)() noexcept) noexcept {
        bin& to = bins_[index];
        const std::size_t bytes = chunk_bytes(index);
        if (bytes < least_page_bytes || bytes < least_offered()) {
            to.warm = ::new (p) waiting_chunk{to.warm};
            // The link stays readable: a leak checker must be able to follow it.
            core::poison(to.warm + 1, bytes - sizeof(waiting_chunk));
        } else if (!put_offered(p, to, bytes)) {
            return false;
        }
        ++to.count;
        bytes_ += bytes;
        return true;
    }

    /// Effects: counts `operations`. At the end of an epoch, hands half of the idle chunks to `next`.
    /// Returns: true if an epoch has ended.
    bool decay(std::uint32_t operations, receiver next) noexcept {
        operations_ += operations;
        if (operations_ < operations_an_epoch) [[likely]] {
            return false;
        }
        end_epoch(next);
        return true;
    }

    /// Effects: hands all chunks to `next`.
    [[gnu::cold, gnu::noinline]] void empty(receiver next) noexcept {
        for (std::size_t index = 0; index < bin_count; ++index) {
            drain(index, bins_[index].count, next);
        }
    }

private:
    struct waiting_chunk {
        waiting_chunk* next;
    };
    struct bin {
        waiting_chunk* warm = nullptr;
        std::uint32_t offered = 0;
        std::uint32_t count = 0; ///< warm and offered
        std::uint32_t idle = 0;
    };

    /// Effects: counts a chunk that was taken.
    [[gnu::always_inline]] void forget(const void* taken, bin& from, std::size_t bytes) noexcept {
        if (from.count == 0) [[unlikely]] {
            core::fail_damaged_free_memory(
                taken); // the list leads back to a chunk that was deallocated twice
        }
        bytes_ -= bytes;
        --from.count;
        from.idle = std::min(from.idle, from.count);
    }

    [[gnu::cold, gnu::noinline]] void* take_offered(bin& from, std::size_t bytes,
                                                    std::size_t alignment) noexcept {
        void* const taken = offered_.first(from.offered);
        if (!core::is_aligned(taken, alignment)) {
            return nullptr;
        }
        core::unpoison(taken, bytes);
        offered_.drop_first(from.offered);
        offered_bytes_ -= bytes;
        forget(taken, from, bytes);
        return taken;
    }

    [[gnu::cold, gnu::noinline]] bool put_offered(void* p, bin& to, std::size_t bytes) noexcept {
        if (!offered_.put(to.offered, p)) {
            return false;
        }
        pages().offer(p, bytes);
        core::poison(p, bytes);
        offered_bytes_ += bytes;
        return true;
    }

    [[gnu::cold, gnu::noinline]] void end_epoch(receiver next) noexcept {
        operations_ = 0;
        for (bin& b : bins_) {
            if (b.idle != 0) {
                drain(static_cast<std::size_t>(&b - bins_.data()), (b.idle + 1) / 2, next);
            }
            b.idle = b.count;
        }
    }

    [[gnu::cold, gnu::noinline]] void drain(std::size_t index, std::uint32_t count, receiver next) noexcept {
        for (; count != 0; --count) {
            next(take(index, chunk_alignment(index)), index);
        }
    }

    std::array<bin, bin_count> bins_{};
    offered_chunks offered_;
    std::size_t bytes_ = 0;
    std::size_t offered_bytes_ = 0;
    std::uint32_t operations_ = 0;
};

/// Bins with room for the entries of `MostOffered` chunks.
template <std::uint32_t MostOffered>
class bins_for : public bins {
public:
    bins_for() noexcept : bins(entries_, MostOffered) {}

private:
    offered_chunks::entry entries_[MostOffered];
};

} // namespace mallard::chunk_bins::inline MALLARD_LIBRARY
