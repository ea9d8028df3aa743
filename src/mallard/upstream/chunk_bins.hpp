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

namespace mallard::chunk_bins { inline namespace MALLARD_LIBRARY {

inline constexpr std::size_t largest_cached_bytes = std::size_t{64} << 20;
inline constexpr std::size_t class_count = eighth_classes::index(largest_cached_bytes) + 1;
/// Smaller chunks come from operator new: pages are too coarse for them, and mappings are a limited resource.
inline constexpr std::size_t least_page_bytes = std::size_t{128} << 10;
inline constexpr std::uint32_t operations_an_epoch = 1024;
inline constexpr std::uint32_t operations_a_step = 64;

/// A waiting chunk has two links.
inline constexpr std::size_t least_chunk_bytes = 2 * sizeof(void*);

/// Returns: the bytes that may move on towards the system for the release of a chunk of `bytes` bytes. To unmap them takes
/// a few hundredths of the time in which a program fills such a chunk.
constexpr std::size_t decay_bytes(std::size_t bytes) noexcept {
    return bytes / 32 + 256;
}

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
    const std::size_t index = eighth_classes::index(std::max(bytes, least_chunk_bytes));
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

/// Returns: the part of a chunk that pages::offer() offers: its huge pages, or all of a chunk without.
inline std::size_t offered_part(std::size_t bytes) noexcept {
    const std::size_t huge_bytes = core::align_down(bytes, pages::huge_page_bytes());
    return huge_bytes != 0 ? huge_bytes : bytes;
}

/// Chunks that were offered to the system. The lists lie outside them, because a write takes a page off the
/// offer. A list is a ring, known by the number of its newest entry; 0 if it is empty. Entries are written before they are
/// read, so that those of a peak that never comes take no memory.
class offered_chunks {
public:
    struct entry {
        void* chunk;
        std::uint32_t older;
        std::uint32_t newer; ///< of the newest entry: the oldest
    };

    offered_chunks(entry* entries, std::uint32_t capacity) noexcept
        : entries_(entries), capacity_(capacity) {}

    /// Returns: true if there was room.
    [[nodiscard]] bool put(std::uint32_t& list, void* chunk) noexcept {
        std::uint32_t number = unused_;
        if (number != 0) {
            unused_ = at(number).older;
        } else if (opened_ != capacity_) {
            number = ++opened_;
        } else {
            return false;
        }
        const std::uint32_t newest = list == 0 ? number : list;
        at(number) = {chunk, newest, number};
        at(number).newer = std::exchange(at(newest).newer, number);
        at(at(number).newer).older = number;
        list = number;
        return true;
    }

    /// Returns: the chunk of an entry.
    [[nodiscard]] void* chunk(std::uint32_t number) const noexcept { return entries_[number - 1].chunk; }

    /// Returns: the oldest entry; 0 if the list is empty.
    [[nodiscard]] std::uint32_t oldest(std::uint32_t list) const noexcept {
        return list == 0 ? 0 : entries_[list - 1].newer;
    }

    /// Effects: takes an entry off the list.
    void drop(std::uint32_t& list, std::uint32_t number) noexcept {
        const auto [chunk, older, newer] = at(number);
        at(older).newer = newer;
        at(newer).older = older;
        if (list == number) {
            list = older == number ? 0 : older;
        }
        at(number).older = std::exchange(unused_, number);
    }

private:
    [[nodiscard]] entry& at(std::uint32_t number) noexcept { return entries_[number - 1]; }

    entry* entries_;
    std::uint32_t capacity_;
    std::uint32_t unused_ = 0;
    std::uint32_t opened_ = 0;
};

/// The waiting chunks of each size class, in the order in which they are taken: warm ones and cold ones, in lists through
/// themselves, and offered ones.
///
///     warm -> newest -> ... -> null
///     cold -> chunk -> ... -> null       what one epoch left
///               v
///             chunk -> ... -> null       what an epoch before left
///
/// `idle` is the smallest number of waiting chunks in the current epoch: the chunks that were never needed. At its end, those
/// among the warm ones become cold; a cut through the list finds them behind the chunks that were needed, without a look at
/// any of them. Cold and idle offered chunks are handed on in small steps, because the system needs milliseconds to take back
/// what a peak left.
///
/// Invariants: all cold chunks are idle. `unneeded` is the number of cold and offered chunks.
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

    /// Returns: the newest warm chunk, or else a cold one, or else the newest offered one; null if there is none at a multiple
    /// of `alignment`.
    [[nodiscard, gnu::always_inline]] void* take(std::size_t index, std::size_t alignment) noexcept {
        bin& from = bins_[index];
        const std::size_t bytes = chunk_bytes(index);
        waiting_chunk* const taken = from.warm;
        if (taken == nullptr || !core::is_aligned(taken, alignment)) [[unlikely]] {
            return from.unneeded == 0 ? nullptr : take_unneeded(from, bytes, alignment);
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
            auto* const added = ::new (p) waiting_chunk;
            added->next = to.warm;
            to.warm = added;
            // The links stay readable: a leak checker must be able to follow them.
            core::poison(added + 1, bytes - sizeof(waiting_chunk));
        } else if (!put_offered(p, to, bytes)) {
            return false;
        }
        ++to.count;
        bytes_ += bytes;
        return true;
    }

    /// Effects: counts `operations`, for which `bytes` may move on to `next`. After each step, hands on as many bytes of
    /// chunks that are not needed.
    /// Requires: `bytes` is less than 2^40.
    /// Returns: the bytes of a step that has ended, or 0.
    [[gnu::always_inline]] std::size_t decay(std::uint32_t operations, std::size_t bytes,
                                             receiver next) noexcept {
        step_ += (std::uint64_t{operations} << step_shift) + bytes;
        return step_ >> step_shift < operations_a_step ? 0 : end_step(next);
    }

    /// Effects: if a chunk of `bytes` bytes would exceed `most_bytes`, hands chunks to `next` that are not needed. So the
    /// chunk that has just been in use can stay instead.
    /// Returns: true if there is room for such a chunk.
    [[nodiscard, gnu::always_inline]] bool make_room(std::size_t bytes, std::size_t most_bytes,
                                                     receiver next) noexcept {
        return bytes_ + bytes <= most_bytes || make_room_slowly(bytes, most_bytes, next);
    }

    /// Effects: hands all chunks to `next`.
    [[gnu::cold, gnu::noinline]] void empty(receiver next) noexcept {
        for (std::size_t index = 0; index < bin_count; ++index) {
            for (std::uint32_t count = bins_[index].count; count != 0; --count) {
                next(take(index, chunk_alignment(index)), index);
            }
        }
    }

private:
    struct waiting_chunk {
        waiting_chunk* next;
        waiting_chunk* next_list; ///< in the first of a list of cold chunks
    };
    static_assert(sizeof(waiting_chunk) == least_chunk_bytes);

    struct bin {
        waiting_chunk* warm = nullptr;
        waiting_chunk* cold = nullptr;
        std::uint32_t offered = 0;
        std::uint32_t count = 0; ///< warm, cold and offered
        std::uint32_t idle = 0;
        std::uint32_t unneeded = 0;
    };

    static constexpr unsigned step_shift = 40;

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

    [[gnu::cold, gnu::noinline]] void* take_unneeded(bin& from, std::size_t bytes,
                                                     std::size_t alignment) noexcept {
        void* const taken = from.cold != nullptr ? from.cold : offered_.chunk(from.offered);
        if (!core::is_aligned(taken, alignment)) {
            return nullptr;
        }
        drop_unneeded(from, from.offered, bytes);
        return taken;
    }

    /// Effects: takes the first cold chunk out, or else the offered chunk `number`.
    void* drop_unneeded(bin& from, std::uint32_t number, std::size_t bytes) noexcept {
        void* taken = from.cold;
        if (taken != nullptr) {
            const auto [next, next_list] = *from.cold;
            if (next != nullptr) {
                next->next_list = next_list;
            }
            from.cold = next != nullptr ? next : next_list;
        } else {
            taken = offered_.chunk(number);
            offered_.drop(from.offered, number);
            offered_bytes_ -= offered_part(bytes);
        }
        core::unpoison(taken, bytes);
        --from.unneeded;
        forget(taken, from, bytes);
        return taken;
    }

    [[gnu::cold, gnu::noinline]] bool put_offered(void* p, bin& to, std::size_t bytes) noexcept {
        if (!offered_.put(to.offered, p)) {
            return false;
        }
        pages().offer(p, bytes);
        core::poison(p, bytes);
        offered_bytes_ += offered_part(bytes);
        ++to.unneeded;
        return true;
    }

    [[gnu::cold, gnu::noinline]] std::size_t end_step(receiver next) noexcept {
        const std::uint64_t step = std::exchange(step_, 0);
        const auto step_bytes = static_cast<std::size_t>(step & ((std::uint64_t{1} << step_shift) - 1));
        operations_ += static_cast<std::uint32_t>(step >> step_shift);
        if (operations_ >= operations_an_epoch) {
            end_epoch();
        }
        credit_bytes_ += step_bytes;
        const bool has_more = hand_on_while(next, [this](std::size_t bytes) {
            const bool covered = bytes <= credit_bytes_;
            credit_bytes_ -= covered ? bytes : 0;
            return covered;
        });
        credit_bytes_ = has_more ? credit_bytes_ : 0; // or the next peak would go at once
        return step_bytes;
    }

    [[gnu::cold, gnu::noinline]] bool make_room_slowly(std::size_t bytes, std::size_t most_bytes,
                                                       receiver next) noexcept {
        if (bytes > most_bytes) {
            return false;
        }
        hand_on_while(next, [&](std::size_t) { return bytes_ + bytes > most_bytes; });
        return bytes_ + bytes <= most_bytes;
    }

    /// Effects: hands cold chunks and idle offered ones to `next`, the oldest offered ones first, as long as go(bytes) returns
    /// true for the size of the next one.
    /// Returns: false if there are no more.
    template <class Go>
    bool hand_on_while(receiver next, Go go) noexcept {
        for (; unneeded_end_ != 0; --unneeded_end_) {
            const std::size_t index = unneeded_end_ - 1;
            bin& from = bins_[index];
            while (std::min(from.unneeded, from.idle) != 0) {
                if (!go(chunk_bytes(index))) {
                    return true;
                }
                --from.idle;
                next(drop_unneeded(from, offered_.oldest(from.offered), chunk_bytes(index)), index);
            }
        }
        return false;
    }

    void end_epoch() noexcept {
        operations_ = 0;
        unneeded_end_ = bin_count;
        for (bin& b : bins_) {
            if (b.idle > b.unneeded) {
                cool(b);
            }
            b.idle = b.count;
        }
    }

    /// Effects: makes the idle ones of the warm chunks cold.
    /// Complexity: linear in the chunks that were needed in the epoch.
    static void cool(bin& b) noexcept {
        waiting_chunk** link = &b.warm;
        for (std::uint32_t needed = b.count - b.idle; needed != 0 && *link != nullptr; --needed) {
            link = &(*link)->next;
        }
        waiting_chunk* const idle = std::exchange(*link, nullptr);
        if (idle == nullptr) [[unlikely]] {
            core::fail_damaged_free_memory(b.warm); // a chunk was written to, or deallocated twice
        }
        idle->next_list = std::exchange(b.cold, idle);
        b.unneeded = b.idle;
    }

    std::array<bin, bin_count> bins_{};
    offered_chunks offered_;
    std::size_t bytes_ = 0;
    std::size_t offered_bytes_ = 0;
    std::uint64_t step_ = 0;       ///< operations of the step, above the bytes that may move on after it
    std::size_t credit_bytes_ = 0; ///< saved up for a chunk that moves on next
    std::uint32_t operations_ = 0; ///< of the epoch, up to the last step
    std::size_t unneeded_end_ = 0; ///< no bin from here on has a chunk to hand on
};

/// Bins with room for the entries of `MostOffered` chunks.
template <std::uint32_t MostOffered>
class bins_for : public bins {
public:
    bins_for() noexcept : bins(entries_, MostOffered) {}

private:
    offered_chunks::entry entries_[MostOffered];
};

}} // namespace mallard::chunk_bins::MALLARD_LIBRARY
