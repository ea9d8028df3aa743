/// A pairing heap of items, ordered by their addresses: take() gives the lowest.
///
///     lowest_ -> T  links: [ first child | next sibling | previous sibling, or parent of a first child ]
///
/// Data model: the links are in the items, three pointers in the member `links`, so that insertion needs no
/// memory. A parent has a lower address than its children.
/// Complexity: insertion is constant; removal is logarithmic on average.
///
/// Source: M. Fredman, R. Sedgewick, D. Sleator, R. Tarjan, "The pairing heap", Algorithmica 1, 1986.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstdint>
#include <utility>

namespace mallard::slab { inline namespace MALLARD_MODE {

template <class T>
class address_heap {
public:
    [[nodiscard]] bool empty() const noexcept { return lowest_ == nullptr; }

    /// Effects: inserts `item`.
    void insert(T& item) noexcept {
        item.links[child] = item.links[next] = item.links[back] = nullptr;
        lowest_ = lowest_ == nullptr ? &item : meld(lowest_, &item);
    }

    /// Effects: removes `item`.
    /// Requires: it is in this heap.
    void remove(T& item) noexcept {
        if (&item == lowest_) {
            static_cast<void>(take());
            return;
        }
        T* const previous = item.links[back];
        T* const sibling = item.links[next];
        previous->links[previous->links[child] == &item ? child : next] = sibling;
        if (sibling != nullptr) {
            sibling->links[back] = previous;
        }
        if (T* below = joined(item.links[child])) {
            lowest_ = meld(lowest_, below);
        }
    }

    /// Effects: removes the lowest item.
    /// Returns: the item; null if the heap is empty.
    [[nodiscard]] T* take() noexcept {
        T* const taken = lowest_;
        if (taken != nullptr) {
            lowest_ = joined(taken->links[child]);
        }
        return taken;
    }

    /// Effects: forgets all items.
    void clear() noexcept { lowest_ = nullptr; }

private:
    enum : unsigned { child, next, back };

    /// Effects: makes the higher of two heaps the first child of the other.
    /// Requires: neither is null. The siblings of both are forgotten.
    static T* meld(T* a, T* b) noexcept {
        if (reinterpret_cast<std::uintptr_t>(b) < reinterpret_cast<std::uintptr_t>(a)) {
            std::swap(a, b);
        }
        b->links[next] = a->links[child];
        if (b->links[next] != nullptr) {
            b->links[next]->links[back] = b;
        }
        b->links[back] = a;
        a->links[child] = b;
        a->links[next] = a->links[back] = nullptr;
        return a;
    }

    /// Returns: one heap of `first` and all its siblings, melded in pairs from the first to the last, and then
    /// the pairs from the last to the first; null if there is none.
    static T* joined(T* first) noexcept {
        T* pairs = nullptr;
        while (first != nullptr) {
            T* pair = first;
            T* const second = first->links[next];
            first = second != nullptr ? second->links[next] : nullptr;
            pair = second != nullptr ? meld(pair, second) : pair;
            pair->links[next] = pairs;
            pairs = pair;
        }
        T* all = nullptr;
        while (pairs != nullptr) {
            T* const remaining = pairs->links[next];
            pairs->links[next] = pairs->links[back] = nullptr;
            all = all == nullptr ? pairs : meld(all, pairs);
            pairs = remaining;
        }
        return all;
    }

    T* lowest_ = nullptr;
};

}} // namespace mallard::slab::MALLARD_MODE
