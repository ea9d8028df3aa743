/// The space of a heap: blocks that are merged when their memory is needed, not when they are freed.
///
/// Data model: blocks that grow and merge (impl/space/growing_space.hpp), and those that wait in lists by size before
/// they are merged (impl/space/quick_lists.hpp). All of these are merged, the lists are *settled*, before a room is
/// added or changes, and before a request or an expansion fails. So waiting costs no request its memory.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/impl/space/growing_space.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/quick_lists.hpp>

#include <cstddef>

namespace mallard::space { inline namespace MALLARD_MODE {

template <class Links>
class quick_fit : public growing_space<Links> {
    using base = growing_space<Links>;

public:
    /// Blocks of up to this size wait.
    static constexpr std::size_t largest_quick_bytes = quick_lists<Links>::largest_bytes;

    /// Returns: a block of exactly `bytes` bytes that waited, in use; null if there is none.
    /// Requires: `bytes` comes from block_bytes_for(), and is at most largest_quick_bytes.
    [[nodiscard]] heap_block take_quick(std::size_t bytes) noexcept { return quick_.take(bytes); }

    /// Effects: makes `b`, of `bytes` bytes, free: it waits, or is merged with its free neighbours.
    /// Complexity: constant.
    void give_quick(heap_block b, std::size_t bytes) noexcept {
        if (!quick_.put(b, bytes)) {
            if (quick_.is_end_of_row()) {
                settle();
            }
            base::give(b, bytes);
        }
    }

    /// Effects: lets no block wait before the next request.
    void merge_at_once() noexcept { quick_.end_row(); }

    /// Effects: merges all blocks that wait.
    /// Returns: false if there is none.
    /// Complexity: linear in the blocks; constant for each call of give_quick().
    bool settle() noexcept {
        if (quick_.empty()) {
            return false;
        }
        settle_blocks();
        return true;
    }

    [[nodiscard]] const quick_lists<Links>& quick() const noexcept { return quick_; }

    // ---- rooms, as in coalescing_space, with all blocks merged before

    void add_room(std::byte* begin, std::size_t bytes) noexcept {
        settle();
        base::add_room(begin, bytes);
        quick_.clear(quick_.room_bytes() + bytes);
    }

    void extend_room(std::byte* end, std::size_t more) noexcept {
        settle();
        base::extend_room(end, more);
        quick_.clear(quick_.room_bytes() + more);
    }

    std::size_t cut_room(std::byte* end, std::size_t most) noexcept {
        settle();
        const std::size_t cut = base::cut_room(end, most);
        quick_.clear(quick_.room_bytes() - cut);
        return cut;
    }

    /// Requires: all blocks are merged, and the remainder is retired.
    bool remove_room_if_free(std::byte* begin, const std::byte* end) noexcept {
        const bool removed = base::remove_room_if_free(begin, end);
        if (removed) {
            quick_.clear(quick_.room_bytes() - static_cast<std::size_t>(end - begin) - base::end_bytes);
        }
        return removed;
    }

    void clear() noexcept {
        base::clear();
        quick_.clear(0);
    }

private:
    [[gnu::cold, gnu::noinline]] void settle_blocks() noexcept {
        quick_.settle([this](heap_block b) { base::give(b); });
    }

    quick_lists<Links> quick_;
};

}} // namespace mallard::space::MALLARD_MODE
