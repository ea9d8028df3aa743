/// Slots of one size: of a few freed just now the last one first, of all others as the slots behind say.
///
///     magazine [ p | p | p | . ] <- last freed      full: the older half goes to the slots behind
///                |                                 empty: refilled from them
///             Slots (slab/bitmap_slots.hpp)
///
/// Invariants: the slots in the magazine are poisoned; those behind take them for used ones, so that a
/// magazine of twelve may keep up to twelve blocks from becoming empty, until trim().
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/recent_blocks.hpp>

#include <cstddef>
#include <utility>

namespace mallard::slab::inline MALLARD_MODE {

template <class Slots>
class recent_slots : public Slots {
public:
    using Slots::Slots;

    /// Returns: a slot, still poisoned, or null if only grow() helps.
    [[nodiscard]] void* pop() noexcept {
        return recent_.pop([this] { return Slots::pop(); });
    }

    /// Effects: makes slot `p` free and poisons it. A chunk that is empty then may go back to `source`.
    template <upstream Source>
    void push(void* p, Source&& source) noexcept {
        core::poison(p, this->slot_bytes());
        recent_.push(p, [&](void* older) { Slots::push(older, source); });
    }

    /// Effects: as the same of `Slots`; what is in the magazine comes first.
    template <upstream Source>
    void pop_many(std::size_t count, block_chain& chain, Source&& source) {
        for (; count != 0 && !recent_.empty(); --count) {
            void* const p = pop();
            core::unpoison(p, this->slot_bytes());
            chain.push_back(p);
        }
        Slots::pop_many(count, chain, source);
    }

    /// Effects: gives all chunks that have no slot in use back to `source`; no slot is in the magazine then.
    template <upstream Source>
    void trim(Source&& source) noexcept {
        recent_.flush([&](void* p) { Slots::push(p, source); });
        Slots::trim(source);
    }

    /// Effects: gives all chunks back to `source`; all slots are gone.
    template <upstream Source>
    void release(Source&& source) noexcept {
        recent_.clear();
        Slots::release(source);
    }

private:
    reuse::recent_blocks recent_;
};

} // namespace mallard::slab::inline MALLARD_MODE
