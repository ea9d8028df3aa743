/// Items ordered by fullness: take() gives the one at the lowest address in the fullest eighth.
///
///     not_empty_   1 0 0 1 0 0 0 1     a bit for each bucket
///     buckets_     [ 0 to 1/8 full ][ 1/8 to 2/8 ] ... [ 7/8 to full ]    each a heap by address
///
/// Items that are about equally full are ordered by address (impl/slab/address_heap.hpp), so that the empty ones lie
/// together.
///
/// Data model: the links are in the items. Each has the members `links`, `used` (the part in use), `low` (with
/// less in use, call sank()) and `bucket`.
/// Complexity: insertion is constant; removal is logarithmic on average.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/slab/address_heap.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mallard::slab { inline namespace MALLARD_MODE {

template <class T>
class fullness_buckets {
public:
    /// `capacity` is the most that an item has in use.
    explicit constexpr fullness_buckets(std::uint32_t capacity) noexcept : capacity_(capacity) {}

    [[nodiscard]] bool empty() const noexcept { return not_empty_ == 0; }

    /// Effects: inserts `item`.
    void insert(T& item) noexcept {
        const std::uint32_t bucket = core::min(item.used * count / capacity_, count - 1);
        item.bucket = static_cast<std::uint16_t>(bucket);
        item.low =
            core::max((bucket * capacity_ + count - 1) / count, core::min(item.used, std::uint32_t{2}));
        buckets_[bucket].insert(item);
        not_empty_ |= 1U << bucket;
    }

    /// Effects: removes `item`.
    /// Requires: it is in here.
    void remove(T& item) noexcept {
        buckets_[item.bucket].remove(item);
        note_taken_from(item.bucket);
    }

    /// Effects: moves `item` to its bucket.
    void sank(T& item) noexcept {
        remove(item);
        insert(item);
    }

    /// Effects: removes the item at the lowest address in the fullest bucket.
    /// Returns: the item; null if there is none.
    [[nodiscard]] T* take() noexcept {
        if (not_empty_ == 0) {
            return nullptr;
        }
        const auto fullest = static_cast<std::uint32_t>(core::bit_width(not_empty_)) - 1;
        T* const taken = buckets_[fullest].take();
        note_taken_from(fullest);
        return taken;
    }

    /// Effects: forgets all items.
    void clear() noexcept {
        buckets_.fill({});
        not_empty_ = 0;
    }

private:
    static constexpr std::uint32_t count = 8;

    void note_taken_from(std::uint32_t bucket) noexcept {
        if (buckets_[bucket].empty()) {
            not_empty_ &= ~(1U << bucket);
        }
    }

    std::array<address_heap<T>, count> buckets_{};
    std::uint32_t not_empty_ = 0;
    std::uint32_t capacity_;
};

}} // namespace mallard::slab::MALLARD_MODE
