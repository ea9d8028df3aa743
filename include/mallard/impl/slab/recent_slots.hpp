/// Slots of one size: the one freed last comes first; then those of `Slots`.
///
///     recent_ -> the slot freed last       a deallocation hands the one before it to `Slots`
///     Slots      all others                (impl/slab/bitmap_slots.hpp)
///
/// A slot that is freed and allocated again at once is still in the cache, and no metadata are read.
///
/// Invariant: the recent slot is poisoned; to `Slots` it is in use.
/// Bound: the recent slot may keep one slab from becoming empty until the next deallocation or trim(). It keeps
/// none once the last of several slots in use is freed.
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/sanitizer.hpp>

#include <cstddef>
#include <utility>

namespace mallard::slab { inline namespace MALLARD_MODE {

template <class Slots>
class recent_slots : public Slots {
public:
    using Slots::Slots;

    /// Returns: a slot, still poisoned; null if only grow() helps.
    [[nodiscard]] void* pop() noexcept {
        if (recent_ != nullptr) {
            return std::exchange(recent_, nullptr);
        }
        return Slots::pop();
    }

    /// Effects: makes slot `p` free and poisons it. A chunk that becomes empty may go back to `source`.
    template <upstream Source>
    void push(void* p, Source&& source) noexcept {
        core::poison(p, this->slot_bytes());
        void* const older = std::exchange(recent_, p);
        if (older != nullptr && Slots::push(older, source)) [[unlikely]] {
            push_recent_if_last(source);
        }
    }

    /// Effects: appends `count` slots to `chain`, unpoisoned, in the order of pop().
    /// Throws: the upstream's exceptions; the slots that were appended stay.
    template <upstream Source>
    void pop_many(std::size_t count, block_chain& chain, Source&& source) {
        if (count != 0 && recent_ != nullptr) {
            core::unpoison(recent_, this->slot_bytes());
            chain.push_back(std::exchange(recent_, nullptr));
            --count;
        }
        Slots::pop_many(count, chain, source);
    }

    /// Effects: makes every slot of `chain` free.
    template <upstream Source>
    void push_many(block_chain&& chain, Source&& source) noexcept {
        if (recent_ == nullptr && !chain.empty()) {
            recent_ = chain.pop_front();
            core::poison(recent_, this->slot_bytes());
        }
        if (Slots::push_many(std::move(chain), source)) [[unlikely]] {
            push_recent_if_last(source);
        }
    }

    /// Effects: gives all chunks without a slot in use back to `source`. No slot is recent afterwards.
    template <upstream Source>
    void trim(Source&& source) noexcept {
        if (recent_ != nullptr) {
            Slots::push(std::exchange(recent_, nullptr), source);
        }
        Slots::trim(source);
    }

    /// Effects: returns all chunks to `source`, and invalidates all slots.
    template <upstream Source>
    void release(Source&& source) noexcept {
        recent_ = nullptr;
        Slots::release(source);
    }

private:
    /// Effects: hands the recent slot to `Slots` if no other is in use.
    template <upstream Source>
    [[gnu::cold, gnu::noinline]] void push_recent_if_last(Source&& source) noexcept {
        if (this->only_in_use(recent_)) {
            Slots::push(std::exchange(recent_, nullptr), source);
        }
    }

    void* recent_ = nullptr;
};

/// Returns: `count` slots, unpoisoned.
/// Throws: the upstream's exceptions; no slot is lost.
/// Complexity: linear in `count`.
template <class Slots, upstream Source>
[[nodiscard]] block_chain pop_chain(Slots& slots, std::size_t count, Source&& source) {
    struct unfinished {
        Slots& slots;
        Source& source;
        block_chain chain;
        ~unfinished() {
            if (!chain.empty()) {
                slots.push_many(std::move(chain), source);
            }
        }
    };
    unfinished burst{slots, source, {}};
    slots.pop_many(count, burst.chain, source);
    return std::move(burst.chain);
}

}} // namespace mallard::slab::MALLARD_MODE
