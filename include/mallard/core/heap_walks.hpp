/// What a heap tells of its blocks: all of them one by one, their sums, and whether they are sound.
///
/// Data model: the space of the blocks (core/growing_space.hpp), which `Heap`, the class that derives from
/// core/heap_calls.hpp, fills with rooms.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/growing_space.hpp>
#include <mallard/core/heap_block.hpp>
#include <mallard/core/heap_sanity.hpp>
#include <mallard/core/reserved_blocks.hpp>

#include <algorithm>
#include <cstddef>

namespace mallard::inline MALLARD_MODE {

template <class Heap, class Links, std::size_t Granule>
class heap_calls;

template <class Heap, class Links, std::size_t Granule>
class heap_walks {
public:
    /// Effects: calls `f(heap_block_info)` for each block, room by room in the order of their addresses, then for
    /// those in reserved ranges.
    template <class F>
    void for_each_block(F f) const;

    /// Returns: what the heap consists of now.
    /// Complexity: linear in the blocks.
    [[nodiscard]] heap_use use() const noexcept;

    /// Returns: whether all words and links are as they have to be, and where not.
    /// Complexity: linear in the blocks; where there are many chunks, in the free ones times these.
    [[nodiscard]] heap_sanity check_sanity() const noexcept;

protected:
    using space_type = growing_space<Links, Granule>;

    space_type space_;

private:
    friend Heap;
    friend heap_calls<Heap, Links, Granule>;

    heap_walks() = default;
    ~heap_walks() = default;

    [[nodiscard]] const Heap& heap() const noexcept { return static_cast<const Heap&>(*this); }
};

template <class Heap, class Links, std::size_t Granule>
template <class F>
void heap_walks<Heap, Links, Granule>::for_each_block(F f) const {
    const auto tell = [&f](heap_block b, std::size_t bytes, bool in_use) {
        f(heap_block_info{b.payload(), bytes - heap_block::word_bytes, in_use});
    };
    heap().each_room([&](std::byte* begin, const std::byte* end) {
        for (heap_block b(begin); b.begin() != end;) {
            const bool remainder = b.begin() == space_.remainder_begin();
            const std::size_t bytes = remainder ? space_.remainder_bytes() : b.bytes();
            tell(b, bytes, !remainder && b.is(heap_block::in_use));
            b = b.behind(bytes);
        }
        return true;
    });
    if constexpr (Heap::has_reserved_blocks) {
        heap().reserved_.for_each([&](heap_block b) { tell(b, b.bytes(), true); });
    }
}

template <class Heap, class Links, std::size_t Granule>
heap_use heap_walks<Heap, Links, Granule>::use() const noexcept {
    heap_use sum;
    sum.held_bytes = heap().held_bytes();
    for_each_block([&sum](const heap_block_info& b) {
        (b.in_use ? sum.used_blocks : sum.free_blocks) += 1;
        (b.in_use ? sum.used_bytes : sum.free_bytes) += b.bytes;
        if (!b.in_use) {
            sum.largest_free_bytes = std::max(sum.largest_free_bytes, b.bytes);
        }
    });
    return sum;
}

template <class Heap, class Links, std::size_t Granule>
heap_sanity heap_walks<Heap, Links, Granule>::check_sanity() const noexcept {
    const auto owns = [this](const std::byte* word) {
        return is_aligned(word + heap_block::word_bytes, Granule) &&
               !heap().each_room([word](const std::byte* begin, const std::byte* end) {
                   return word < begin || word >= end ||
                          static_cast<std::size_t>(end - word) < heap_block::least_bytes;
               });
    };
    sanity_check<Links, Granule> check(space_);
    heap().each_room([&](std::byte* begin, std::byte* end) { return check.look_at_room(begin, end, owns); });
    heap_sanity found = check.result();
    if constexpr (Heap::has_reserved_blocks) {
        heap().reserved_.for_each([&found](heap_block b) {
            if (found.sound() && !reserved_blocks::is_sound(b)) {
                found = {"the size in the word in front of the block is damaged", b.payload()};
            }
        });
    }
    return found;
}

} // namespace mallard::inline MALLARD_MODE
