/// Slots of one size with a bit for each; the lowest free slot of a slab is the next.
///
///     cached_    0 0 1 1 0 1 ...    the free slots of one word of the current slab, taken out of its bits
///     bits       [ 0 1 0 ... ][ 0 ... ][ 1 ... ] ...       set if a slot is free
///     summary    1 0 1 ...                                 set if a word of bits is not zero
///
/// An allocation takes the lowest bit of cached_; after at most 64 of them the next word is looked for. Freeing
/// sets a bit and counts, and does not touch the slot. Words of slots that were never given out are not in the
/// bits: a slab that only fills needs no bits, and has none until a slot of it is freed.
///
/// Invariants: the bits of a slab are made zero before their first use. The word that cached_ was taken from is
/// zero; freeing one of its slots changes cached_. With slabs in the order of their addresses
/// (impl/slab/address_heap.hpp), the next slot is the lowest of all; otherwise the cached slots come first.
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/slab/supply.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace mallard::slab { inline namespace MALLARD_MODE {

template <class Preference, bool Divided = false>
class bitmap_slots : public slab_supply<Preference, Divided> {
public:
    constexpr bitmap_slots(const slab_geometry& geometry, const chunk_policy& policy) noexcept
        : slab_supply<Preference, Divided>(geometry, policy) {}

    /// Returns: a slot, still poisoned; null if only grow() helps.
    /// Complexity: constant, apart from the choice of a slab.
    [[nodiscard]] void* pop() noexcept {
        if (cached_ != 0) [[likely]] {
            return take_cached();
        }
        return pop_of_next_word();
    }

    /// Effects: makes slot `p` free and poisons it. A chunk that becomes empty may go back to `source`.
    /// Returns: true if fewer than two slots of that slab are in use.
    /// Complexity: constant on average, apart from calls upstream.
    template <upstream Source>
    bool push(void* p, Source&& source) noexcept {
        core::poison(p, layout_.slot_bytes);
        const auto of = layout_.find_place(p);
        prepare_bits(*of.header);
        const std::uint64_t word = *of.word;
        if (word != 0) [[likely]] {
            *of.word = word | of.bit;
            return note_freed(*of.header, source);
        }
        if (of.word == cached_word_) {
            return push_cached(of.bit, source);
        }
        return push_first(*of.header, of.word, of.bit, source);
    }

    /// Effects: appends `count` slots to `chain`, unpoisoned, in the order of pop().
    /// Throws: the upstream's exceptions; the slots that were appended stay.
    /// Complexity: linear in `count`.
    template <upstream Source>
    void pop_many(std::size_t count, block_chain& chain, Source&& source) {
        while (count != 0) {
            if (cached_ == 0 && !cache_next_word()) {
                this->grow(source);
                continue;
            }
            block_chain taken = take_cached_up_to(count);
            count -= taken.size();
            chain.splice_back(std::move(taken));
        }
    }

    /// Effects: makes every slot of `chain` free. The bits of one word are written together.
    /// Returns: true if fewer than two slots of one of these slabs were in use.
    template <upstream Source>
    bool push_many(block_chain&& chain, Source&& source) noexcept {
        const block_chain taken = std::move(chain);
        bool few_in_use = false;
        std::size_t remaining = taken.size();
        // The next slot in memory lies in another word; in a slab of fewer than 64 slots, in the next slab.
        const std::uint64_t last_bit = std::uint64_t{1} << (core::min<std::uint32_t>(layout_.slots, 64) - 1);
        for (auto* p = static_cast<core::free_block*>(taken.front()); p != nullptr;) {
            auto of = layout_.find_place(p);
            prepare_bits(*of.header);
            std::uint32_t more = 0;
            for (std::uint64_t bit = of.bit;; ++more) {
                core::free_block* const next = p->next;
                core::poison(p, layout_.slot_bytes);
                void* neighbour = reinterpret_cast<std::byte*>(p) + layout_.slot_bytes;
                if (next == neighbour && bit != last_bit) [[likely]] {
                    // The address was computed, so that the processor need not wait for the link.
                    MALLARD_KEEP("+r"(neighbour));
                    p = static_cast<core::free_block*>(neighbour);
                    bit <<= 1;
                } else {
                    p = next;
                    if (next == nullptr) {
                        break;
                    }
                    const auto next_place = layout_.find_place(next);
                    if (next_place.word != of.word) {
                        break;
                    }
                    bit = next_place.bit;
                    if ((of.bit & bit) != 0) [[unlikely]] {
                        core::fail_damaged_free_memory(p);
                    }
                }
                of.bit |= bit;
            }
            if (more >= remaining) [[unlikely]] {
                core::fail_damaged_free_memory(p); // the chain leads back to a slot that it has twice
            }
            remaining -= more + 1;
            if (*of.word == 0 && of.word == cached_word_) {
                few_in_use |= push_cached(of.bit, source);
                continue;
            }
            of.header->used -= more;
            if (*of.word == 0) {
                few_in_use |= push_first(*of.header, of.word, of.bit, source);
            } else {
                *of.word |= of.bit;
                few_in_use |= note_freed(*of.header, source);
            }
        }
        return few_in_use;
    }

private:
    using slab_supply<Preference, Divided>::cached_;
    using slab_supply<Preference, Divided>::current_;
    using slab_supply<Preference, Divided>::layout_;

    [[nodiscard]] void* take_cached() noexcept {
        const auto bit = static_cast<std::size_t>(std::countr_zero(cached_));
        cached_ &= cached_ - 1;
        return cached_base_ + bit * layout_.slot_bytes;
    }

    /// Returns: the lowest cached slots, at most `count`, each leading to the next.
    /// Requires: there is one, and `count` is not 0.
    [[nodiscard]] block_chain take_cached_up_to(std::size_t count) noexcept {
        auto* const first = static_cast<core::free_block*>(take_cached());
        core::unpoison(first, layout_.slot_bytes);
        core::free_block* last = first;
        std::size_t taken = 1;
        for (; cached_ != 0 && taken != count; ++taken) {
            auto* const slot = static_cast<core::free_block*>(take_cached());
            core::unpoison(slot, layout_.slot_bytes);
            last->next = slot;
            last = slot;
        }
        last->next = nullptr;
        return {first, last, taken};
    }

    [[nodiscard, gnu::noinline]] void* pop_of_next_word() noexcept {
        return cache_next_word() ? take_cached() : nullptr;
    }

    /// Effects: moves a word of free slots of the current slab, or of the next one, to cached_.
    /// Returns: false if no slab has a free slot.
    /// Requires: nothing is cached.
    bool cache_next_word() noexcept {
        while (true) {
            if (current_ != nullptr) {
                if (cache_freed_word() || cache_fresh_word()) {
                    return true;
                }
                this->exhaust_current();
            }
            if (!this->make_current()) {
                cached_word_ = nullptr;
                return false;
            }
        }
    }

    /// Slots that were freed lie below those that were never given out.
    bool cache_freed_word() noexcept {
        std::uint64_t* const summary = layout_.summary(*current_);
        for (std::uint32_t i = 0; i != layout_.summary_words(); ++i) {
            if (summary[i] != 0) {
                const std::uint32_t number =
                    i * 64 + static_cast<std::uint32_t>(std::countr_zero(summary[i]));
                summary[i] &= summary[i] - 1;
                cache(number, std::exchange(layout_.bits(*current_)[number], 0));
                return true;
            }
        }
        return false;
    }

    bool cache_fresh_word() noexcept {
        while (current_->fresh != layout_.words()) {
            const std::uint32_t number = current_->fresh++;
            if (const std::uint64_t usable = layout_.usable_slots_in(*current_, number)) {
                cache(number, usable);
                return true;
            }
        }
        return false;
    }

    void cache(std::uint32_t number, std::uint64_t bits) noexcept {
        cached_ = bits;
        cached_word_ = layout_.bits(*current_) + number;
        cached_base_ = layout_.slots_begin(*current_) + std::size_t{number} * 64 * layout_.slot_bytes;
        current_->used += static_cast<std::uint32_t>(std::popcount(bits));
    }

    /// Returns: true if fewer than two slots of that slab are in use.
    template <upstream Source>
    bool note_freed(slab_header& h, Source&& source) noexcept {
        return --h.used < h.low && this->sank(h, source);
    }

    /// Effects: frees slots of the cached word.
    /// Returns: true if fewer than two slots of that slab are in use.
    template <upstream Source>
    bool push_cached(std::uint64_t bits, Source&& source) noexcept {
        cached_ |= bits;
        return this->current_sank(source);
    }

    /// Effects: frees the first slots of another word.
    /// Returns: true if fewer than two slots of that slab are in use.
    template <upstream Source>
    [[gnu::noinline]] bool push_first(slab_header& h, std::uint64_t* word, std::uint64_t bits,
                                      Source&& source) noexcept {
        note_in_summary(h, word);
        if (&h == current_) {
            if (this->by_address && word < cached_word_) {
                uncache();
            }
        } else if (h.state == slab_state::exhausted && this->make_available(h)) {
            uncache();
            this->leave_current(source);
        }
        *word = bits;
        return note_freed(h, source);
    }

    /// Effects: makes the bits of a slab zero before their first use.
    void prepare_bits(slab_header& h) noexcept {
        if (!h.has_bits) [[unlikely]] {
            clear_bits(h);
        }
    }

    /// Bits stay unwritten when a slab is opened, because a page without a write takes no memory.
    [[gnu::cold, gnu::noinline]] void clear_bits(slab_header& h) noexcept {
        std::memset(layout_.bits(h), 0, layout_.words() * sizeof(std::uint64_t));
        h.has_bits = true;
    }

    /// Effects: moves the cached slots back to the bits.
    void uncache() noexcept {
        if (cached_ != 0) {
            prepare_bits(*current_);
            *cached_word_ = cached_;
            note_in_summary(*current_, cached_word_);
            current_->used -= static_cast<std::uint32_t>(std::popcount(cached_));
            cached_ = 0;
        }
        cached_word_ = nullptr;
    }

    void note_in_summary(slab_header& b, const std::uint64_t* word) noexcept {
        const auto number = static_cast<std::size_t>(word - layout_.bits(b));
        layout_.summary(b)[number / 64] |= std::uint64_t{1} << number % 64;
    }

    std::byte* cached_base_ = nullptr;
    std::uint64_t* cached_word_ = nullptr; ///< the source of cached_, in the current slab
};

}} // namespace mallard::slab::MALLARD_MODE
