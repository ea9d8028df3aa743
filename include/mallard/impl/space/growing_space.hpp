/// Blocks of a heap that grow in place, in both directions, and bursts of blocks.
///
///     forward:    [ block ][ free ....... ]     ->   [ block ............ ][ free ]
///     backward:   [ free ....... ][ block ]     ->   [ free ][ block ............ ]
///
/// A block that grows backward moves its begin down by a multiple of the caller's step, so that its elements keep
/// their addresses and stay elements of the larger block. The step comes from the caller's compiler
/// (backward_step()); here one division is left.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapters 1 and 2;
/// N2045, "Improving STL allocators".
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/space/coalescing_space.hpp>

#include <cstddef>

namespace mallard::space { inline namespace MALLARD_MODE {

template <class Links>
class growing_space : public coalescing_space<Links> {
    using base = coalescing_space<Links>;
    using base::free_;

public:
    /// Effects: makes `b` larger by the free memory behind it, up to `most` bytes, if it has `least` then. A
    /// block that has `least` already grows too.
    /// Returns: true if it has `least`.
    /// Requires: both come from block_bytes_for(); `least` is at most `most`.
    /// Complexity: constant.
    bool grow_forward(heap_block b, std::size_t least, std::size_t most) noexcept {
        const std::size_t had = b.bytes();
        const heap_block next = b.behind(had);
        if (next.begin() == base::remainder_begin()) {
            const std::size_t available = had + base::remainder_bytes();
            if (available < least) {
                return false;
            }
            const std::size_t bytes = without_crumb(available, core::max(had, most));
            b.set_bytes(bytes);
            if (bytes == available) {
                base::set_remainder(nullptr, nullptr);
            } else {
                base::set_remainder_begin(b.begin() + bytes);
            }
            return true;
        }
        if (had >= most) {
            return true;
        }
        const std::size_t word = next.tag();
        const std::size_t available = had + (word & ~heap_block::flags);
        if ((word & heap_block::in_use) != 0 || available < least) {
            return had >= least;
        }
        free_.remove(next, available - had);
        const std::size_t bytes = without_crumb(available, most);
        b.set_bytes(bytes);
        if (bytes == available) {
            b.behind(bytes).set(heap_block::previous_in_use);
        } else {
            free_.insert(b.behind(bytes), available - bytes);
        }
        return true;
    }

    /// Effects: takes free memory in front until `b` has `most` bytes. Fails below `least`. With `forward` takes
    /// all free memory behind it first. The contents keep their addresses.
    /// Returns: the block, which begins a multiple of `step` further down; null, with no effect, if it fails.
    /// Requires: `least` and `most` come from block_bytes_for(). `step` is a multiple of the granule, and of the
    /// alignment of a block that is aligned more strictly.
    /// Complexity: constant.
    heap_block grow_backward(heap_block b, std::size_t least, std::size_t most, std::size_t step,
                             bool forward) noexcept {
        const std::size_t had = b.bytes();
        const bool behind_remainder = b.begin() == base::remainder_end();
        if (b.is(heap_block::previous_in_use) && !behind_remainder) {
            return {};
        }
        const std::size_t front = behind_remainder ? base::remainder_bytes() : b.bytes_in_front();
        const std::size_t current = had + (forward ? bytes_free_behind(b, had) : 0);
        const std::size_t move = distance_down(front, current, least, most, step);
        if (move == 0) {
            return {};
        }
        if (current != had) {
            grow_forward(b, current, current);
        }
        const std::size_t bytes = b.bytes() + move;
        const heap_block grown(b.begin() - move);
        if (behind_remainder) {
            if (move == front) {
                base::set_remainder(nullptr, nullptr);
            } else {
                base::set_remainder_end(grown.begin());
            }
            grown.set_tag(bytes | heap_block::in_use | heap_block::previous_in_use);
        } else {
            const heap_block front_block(b.begin() - front);
            free_.remove(front_block, front);
            grown.set_tag(bytes | heap_block::in_use | (move == front ? heap_block::previous_in_use : 0));
            if (move != front) {
                free_.insert(front_block, front - move);
            }
        }
        return grown;
    }

    /// Effects: cuts up to `count` blocks of `bytes` bytes off the front of the remainder, and adds them to
    /// `burst`, after `hand_out(p)` of each payload.
    /// Returns: true if there was one. The last block gets a rest that is too short to be a remainder.
    template <class Burst, class HandOut>
    bool carve_many(Burst& burst, std::size_t bytes, std::size_t count, HandOut hand_out) noexcept {
        const std::size_t room = base::remainder_bytes();
        if (room < bytes) {
            return false;
        }
        std::byte* cursor = base::remainder_begin();
        const std::size_t blocks = core::min(count - burst.size(), room / bytes);
        for (std::size_t remaining = blocks; remaining != 0; --remaining) {
            const heap_block b(cursor);
            b.set_tag(bytes | heap_block::in_use | heap_block::previous_in_use);
            hand_out(b.payload());
            burst.add(b.payload());
            cursor += bytes;
        }
        const std::size_t tail = room - blocks * bytes;
        if (tail >= heap_block::least_bytes) {
            base::set_remainder_begin(cursor);
        } else {
            heap_block(cursor - bytes).set_bytes(bytes + tail);
            base::set_remainder(nullptr, nullptr);
        }
        return blocks != 0;
    }

    /// Effects: makes the best free block for `bytes` bytes the remainder, or else the largest one, if it has
    /// `least` bytes.
    /// Returns: true if there was one.
    bool refill_remainder(std::size_t least, std::size_t bytes) noexcept {
        heap_block b = free_.find(bytes);
        if (!b) {
            b = free_.largest();
            if (!b || b.bytes() < least) {
                b = free_.find(least);
            }
        }
        return become_remainder(b);
    }

    /// Effects: makes the remainder one of at least `least` bytes: it stays, or the largest free block becomes
    /// it.
    /// Returns: true if there was one.
    bool widen_remainder(std::size_t least) noexcept {
        if (base::remainder_bytes() >= least) [[likely]] {
            return true;
        }
        const heap_block b = free_.largest();
        return b && b.bytes() >= least && become_remainder(b);
    }

    /// Effects: makes all blocks of the chain free; adjacent blocks are merged before they go to a bin.
    /// `take_back(b, tag)` is called with each block before; if it returns false, the block is not one of these.
    template <class TakeBack>
    void give_many(const block_chain& blocks, TakeBack take_back) noexcept {
        heap_block run;
        std::byte* run_end = nullptr;
        blocks.for_each([&](void* p) {
            const heap_block b = heap_block::holding(p);
            const std::size_t word = b.tag();
            if (!take_back(b, word)) [[unlikely]] {
                return;
            }
            const std::size_t bytes = word & ~heap_block::flags;
            if (b.begin() == run_end) [[likely]] {
                run_end += bytes;
            } else if (b.begin() + bytes == run.begin()) {
                run = b;
            } else {
                give_run(run, run_end);
                run = b;
                run_end = b.begin() + bytes;
            }
        });
        give_run(run, run_end);
    }

private:
    bool become_remainder(heap_block b) noexcept {
        if (b) {
            const std::size_t bytes = b.bytes();
            free_.remove(b, bytes);
            base::replace_remainder(b, bytes);
        }
        return static_cast<bool>(b);
    }

    void give_run(heap_block run, const std::byte* end) noexcept {
        if (run) {
            base::give(run, static_cast<std::size_t>(end - run.begin()));
        }
    }

    /// Returns: `wanted`, or `available` if the remainder would be too short for a block or nothing remains.
    [[nodiscard]] static std::size_t without_crumb(std::size_t available, std::size_t wanted) noexcept {
        return wanted + heap_block::least_bytes > available ? available : wanted;
    }

    [[nodiscard]] std::size_t bytes_free_behind(heap_block b, std::size_t had) const noexcept {
        const heap_block next = b.behind(had);
        if (next.begin() == base::remainder_begin()) {
            return base::remainder_bytes();
        }
        const std::size_t word = next.tag();
        return (word & heap_block::in_use) != 0 ? 0 : word & ~heap_block::flags;
    }

    /// Returns: the distance by which a block of `current` bytes moves its begin into the `front` bytes before
    /// it; 0 if it would have less than `least` bytes.
    [[nodiscard]] static std::size_t distance_down(std::size_t front, std::size_t current, std::size_t least,
                                                   std::size_t most, std::size_t step) noexcept {
        if (front < step || current + front < least) {
            return 0;
        }
        const std::size_t wanted = most > current ? most - current : step;
        std::size_t move = wanted >= front ? front / step * step : (wanted + step - 1) / step * step;
        move = core::min(move, front / step * step);
        while (move != 0 && move != front && front - move < heap_block::least_bytes) {
            move -= step;
        }
        return current + move < least ? 0 : move;
    }
};

}} // namespace mallard::space::MALLARD_MODE
