/// The slots that an order of reuse (reuse/order.hpp) stands for in pools of slabs.
///
///     last_freed, first_freed    lists through the slots of a slab      slab/linked_slots.hpp
///     lowest_address             bits apart from them                   slab/bitmap_slots.hpp
///     hybrid_reuse               bits behind a few recent pointers      slab/recent_slots.hpp
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/hybrid_reuse.hpp>
#include <mallard/reuse/last_freed.hpp>
#include <mallard/reuse/lowest_address.hpp>
#include <mallard/slab/bitmap_slots.hpp>
#include <mallard/slab/linked_slots.hpp>
#include <mallard/slab/recent_slots.hpp>

#include <cstddef>
#include <utility>

namespace mallard::slab::inline MALLARD_MODE {

/// To be specialised for another order: `type` has the functions of slab/bitmap_slots.hpp.
template <class Reuse, class Preference, bool Divided>
struct slots_in_order {
    static_assert(sizeof(Reuse) == 0,
                  "a pool of aligned blocks knows the orders of reuse last_freed, first_freed, "
                  "lowest_address and hybrid_reuse; specialise slots_in_order for another");
};

template <class Preference, bool Divided>
struct slots_in_order<last_freed, Preference, Divided> {
    using type = linked_slots<reuse::last_freed_links, Preference, Divided>;
};

template <class Preference, bool Divided>
struct slots_in_order<first_freed, Preference, Divided> {
    using type = linked_slots<reuse::first_freed_links, Preference, Divided>;
};

template <class Preference, bool Divided>
struct slots_in_order<lowest_address, Preference, Divided> {
    using type = bitmap_slots<Preference, Divided>;
};

template <class Preference, bool Divided>
struct slots_in_order<hybrid_reuse, Preference, Divided> {
    using type = recent_slots<bitmap_slots<Preference, Divided>>;
};

/// `Preference` is the order among slabs; `Divided` says whether they are divided into sub-slabs.
template <class Reuse, class Preference, bool Divided = false>
using ordered_slots = typename slots_in_order<Reuse, Preference, Divided>::type;

/// Returns: `count` slots, unpoisoned.
/// Throws: what the upstream throws; no slot is lost.
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

} // namespace mallard::slab::inline MALLARD_MODE
