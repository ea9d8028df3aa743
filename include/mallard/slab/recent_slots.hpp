/// Slots of one size: the few freed most recently come first, last freed first; then those of `Slots`.
///
///     recent [ p | p | p | . ] <- last freed      full: the older half goes to `Slots`
///               |                                 empty: refilled from there
///            Slots (slab/bitmap_slots.hpp)
///
/// Invariants: recent slots are poisoned; to `Slots` they are in use, so that twelve of them may keep up to
/// twelve slabs from becoming empty, until trim().
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

    /// Returns: a slot, still poisoned; null if only grow() helps.
    [[nodiscard]] void* pop() noexcept {
        return recent_.pop([this] { return Slots::pop(); });
    }

    /// Effects: makes slot `p` free and poisons it. A chunk that becomes empty may go back to `source`.
    template <upstream Source>
    void push(void* p, Source&& source) noexcept {
        core::poison(p, this->slot_bytes());
        recent_.push(p, [&](void* older) { Slots::push(older, source); });
    }

    /// Effects: appends `count` slots to `chain`, unpoisoned, the recent ones first.
    template <upstream Source>
    void pop_many(std::size_t count, block_chain& chain, Source&& source) {
        for (; count != 0 && !recent_.empty(); --count) {
            void* const p = pop();
            core::unpoison(p, this->slot_bytes());
            chain.push_back(p);
        }
        Slots::pop_many(count, chain, source);
    }

    /// Effects: gives all chunks without a slot in use back to `source`. No slot is recent afterwards.
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
