/// Slots of one size, linked through themselves; `Links` chooses the next free slot of a slab.
///
///     slab:   header.list -> slot -> slot -> ... -> null    (reuse/last_freed.hpp, reuse/first_freed.hpp)
///              header.fresh                                  slots from here on were never given out
///
/// `Preference` decides among the slabs. The current slab stays current until it has no free slot.
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/reuse/free_list.hpp>
#include <mallard/slab/supply.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::slab::inline MALLARD_MODE {

template <class Links, class Preference, bool Divided = false>
class linked_slots : public slab_supply<Preference, Divided> {
public:
    static constexpr slot_metadata metadata = slot_metadata::lists;
    /// Smaller slots cannot hold a link.
    static constexpr std::size_t least_bytes = sizeof(core::free_block);

    linked_slots(const slab_geometry& geometry, const chunk_policy& policy) noexcept
        : slab_supply<Preference, Divided>(geometry, policy) {}

    /// Returns: a slot, still poisoned; null if only grow() helps.
    /// Complexity: constant on average, apart from the choice of a slab.
    [[nodiscard]] void* pop() noexcept {
        while (true) {
            if (current_ != nullptr) [[likely]] {
                void* p = Links::pop(&current_->list, reuse::size_of_one(layout_.slot_bytes));
                if (p == nullptr) {
                    p = fresh_slot();
                }
                if (p != nullptr) [[likely]] {
                    ++current_->used;
                    return p;
                }
                this->exhaust_current();
            }
            fresh_bits_ = 0;
            if (!this->make_current(low_of_current)) {
                return nullptr;
            }
        }
    }

    /// Effects: makes slot `p` free and poisons it. A chunk that becomes empty may go back to `source`.
    /// Complexity: constant on average, apart from calls upstream.
    template <upstream Source>
    void push(void* p, Source&& source) noexcept {
        slab_header& h = layout_.header_of(p);
        Links::push(&h.list, static_cast<core::free_block*>(p), reuse::size_of_one(layout_.slot_bytes));
        core::poison(p, layout_.slot_bytes);
        if (h.state == slab_state::exhausted && this->make_available(h)) [[unlikely]] {
            this->leave_current(source);
        }
        if (--h.used < h.low) [[unlikely]] {
            this->sank(h, source);
        }
    }

    /// Effects: appends `count` slots to `chain`, unpoisoned.
    /// Throws: what the upstream throws; the slots that were appended stay.
    template <upstream Source>
    void pop_many(std::size_t count, block_chain& chain, Source&& source) {
        while (count != 0) {
            if (void* p = pop()) {
                core::unpoison(p, layout_.slot_bytes);
                chain.push_back(p);
                --count;
            } else {
                this->grow(source);
            }
        }
    }

    /// Effects: makes every slot of `chain` free.
    template <upstream Source>
    void push_many(block_chain&& chain, Source&& source) noexcept {
        block_chain rest = std::move(chain);
        while (void* p = rest.pop_front()) {
            push(p, source);
        }
    }

private:
    using slab_supply<Preference, Divided>::current_;
    using slab_supply<Preference, Divided>::layout_;

    static constexpr std::uint32_t low_of_current = 1;

    /// Returns: the lowest slot of the current slab that was never given out; null if there is none.
    [[nodiscard]] void* fresh_slot() noexcept {
        if (fresh_bits_ == 0 && !next_fresh_word()) {
            return nullptr;
        }
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(fresh_bits_));
        fresh_bits_ &= fresh_bits_ - 1;
        const std::uint32_t slot = fresh_word_ * 64 + bit;
        current_->fresh = slot + 1;
        return layout_.base_of(*current_) + std::size_t{slot} * layout_.slot_bytes;
    }

    [[gnu::noinline]] bool next_fresh_word() noexcept {
        for (std::uint32_t fresh = current_->fresh; fresh < layout_.slots; fresh = (fresh_word_ + 1) * 64) {
            fresh_word_ = fresh / 64;
            fresh_bits_ = layout_.usable_of(*current_, fresh_word_) & (~std::uint64_t{0} << fresh % 64);
            if (fresh_bits_ != 0) {
                return true;
            }
        }
        current_->fresh = layout_.slots;
        return false;
    }

    std::uint64_t fresh_bits_ = 0; ///< of a word of the current slab, those never given out
    std::uint32_t fresh_word_ = 0;
};

} // namespace mallard::slab::inline MALLARD_MODE
