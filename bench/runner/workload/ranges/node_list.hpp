/// A list whose nodes are inserted and erased one by one or in ranges.
///
///     end_:  [ next | previous |  ]  <->  [ next | previous | value ]  <->  ...  <->  end_
///
/// Ranges are inserted at the end, and the list does not record them. A walk along the list finds their bounds
/// again, outside the timed part.
///
/// A node's first word points to the next node, as the link in a block of a burst does (core/block_chain.hpp). A
/// range is therefore already a chain, and is inserted and freed without a change, as in lists that support bursts.
#pragma once

#include "runner/harness/checksum.hpp"
#include "runner/harness/escape.hpp"

#include <mallard/core/burst.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace bench {

struct list_node {
    list_node* next;
    list_node* previous;
    int value;
};
static_assert(sizeof(void*) != 8 || sizeof(list_node) == 24);

class node_list {
public:
    node_list() noexcept : end_{&end_, &end_, 0} {}
    node_list(const node_list&) = delete;
    node_list& operator=(const node_list&) = delete;

    [[nodiscard]] list_node* begin() noexcept { return end_.next; }
    [[nodiscard]] list_node* end() noexcept { return &end_; }
    [[nodiscard]] bool empty() const noexcept { return end_.next == &end_; }

    /// Effects: constructs a node in the block `p` and appends it.
    void push_back(void* p, int value) noexcept {
        auto* const node = ::new (p) list_node{&end_, end_.previous, value};
        end_.previous->next = node;
        end_.previous = node;
    }

    /// Effects: constructs a node with `next_value()` in each of the blocks and appends them in order.
    template <class NextValue>
    void push_back_all(const mallard::block_chain& blocks, NextValue next_value) noexcept {
        list_node* last = end_.previous;
        blocks.for_each([&last, &next_value](void* p) {
            auto* const node = ::new (p) list_node{nullptr, last, next_value()};
            last->next = node;
            last = node;
        });
        last->next = &end_;
        end_.previous = last;
    }

    /// Effects: removes the nodes [first, last) from the list.
    static void unlink(list_node* first, list_node* last) noexcept {
        first->previous->next = last;
        last->previous = first->previous;
    }

    /// Effects: empties the list. The last node still leads to end().
    /// Returns: the first node, or end().
    [[nodiscard]] list_node* take_all() noexcept {
        list_node* const first = end_.next;
        end_.next = end_.previous = &end_;
        return first;
    }

private:
    list_node end_;
};

/// The first node of each range of a list, and end().
using range_bounds = std::span<list_node*>;

/// Effects: writes the first node of each range of `length` nodes, and end(), into `bounds`.
/// Requires: `bounds` has a place for each range and one more.
/// Returns: a checksum of the values, in order.
inline std::uint64_t find_ranges(node_list& list, std::size_t length, range_bounds bounds) noexcept {
    checksum sum;
    list_node* node = list.begin();
    for (list_node*& bound : bounds) {
        bound = node;
        for (std::size_t i = 0; i != length && node != list.end(); ++i, node = node->next) {
            sum.add(static_cast<std::uint64_t>(node->value));
        }
    }
    return sum.value();
}

/// Effects: destroys the node. It is read, as by a destructor, so that even null walks along the list.
inline void destroy(list_node* node) noexcept {
    escape(node);
    std::destroy_at(node);
}

/// The nodes that a list lacks for a copy of another list.
struct missing_nodes {
    const list_node* next; ///< the first node of the other list without a counterpart
    std::size_t count;
};

/// Effects: overwrites the values of the list with the first ones of `original`, which has `nodes` nodes.
/// Requires: the list has at most `nodes` nodes.
inline missing_nodes overwrite(node_list& list, node_list& original, std::size_t nodes) noexcept {
    const list_node* from = original.begin();
    for (list_node* node = list.begin(); node != list.end(); node = node->next, from = from->next) {
        node->value = from->value;
        --nodes;
    }
    return {from, nodes};
}

/// One request for each node.
struct single_nodes {
    /// Effects: inserts `ranges` ranges of `length` nodes at the end; the value is the number of the range.
    template <class Source>
    [[gnu::noinline]] static void insert(Source& source, node_list& list, std::size_t ranges,
                                         std::size_t length) {
        for (std::size_t r = 0; r != ranges; ++r) {
            for (std::size_t i = 0; i != length; ++i) {
                list.push_back(source.allocate(sizeof(list_node), alignof(list_node)), static_cast<int>(r));
            }
        }
    }

    /// Effects: erases the ranges of `length` nodes between the bounds, from the front.
    template <class Source>
    [[gnu::noinline]] static void erase(Source& source, range_bounds bounds,
                                        [[maybe_unused]] std::size_t length) {
        for (std::size_t r = 0; r + 1 != bounds.size(); ++r) {
            list_node* const last = bounds[r + 1];
            node_list::unlink(bounds[r], last);
            for (list_node* node = bounds[r]; node != last;) {
                list_node* const next = node->next;
                destroy(node);
                source.deallocate(node, sizeof(list_node), alignof(list_node));
                node = next;
            }
        }
    }

    /// Effects: erases nodes from the front of the list, one by one, until it is empty.
    template <class Source>
    [[gnu::noinline]] static void pop_all(Source& source, node_list& list) {
        while (!list.empty()) {
            list_node* const node = list.begin();
            node_list::unlink(node, node->next);
            destroy(node);
            source.deallocate(node, sizeof(list_node), alignof(list_node));
        }
    }

    /// Effects: assigns the values of `original`, which has `nodes` nodes. The nodes of the list are overwritten, and
    /// missing ones appended. Of an empty list this is a copy construction.
    /// Requires: the list has at most `nodes` nodes.
    template <class Source>
    [[gnu::noinline]] static void assign(Source& source, node_list& list, node_list& original,
                                         std::size_t nodes) {
        missing_nodes missing = overwrite(list, original, nodes);
        for (; missing.count != 0; --missing.count, missing.next = missing.next->next) {
            list.push_back(source.allocate(sizeof(list_node), alignof(list_node)), missing.next->value);
        }
    }

    /// Effects: frees all nodes of the list, and empties it.
    template <class Source>
    [[gnu::noinline]] static void clear(Source& source, node_list& list, [[maybe_unused]] std::size_t nodes) {
        list_node* const end = list.end();
        for (list_node* node = list.take_all(); node != end;) {
            list_node* const next = node->next;
            destroy(node);
            source.deallocate(node, sizeof(list_node), alignof(list_node));
            node = next;
        }
    }
};

/// One request for each range. If it is `Contiguous`, the nodes of a request lie side by side.
template <bool Contiguous>
struct bursts {
    template <class Source>
    [[nodiscard]] static mallard::block_chain allocate(Source& source, std::size_t count) {
        constexpr std::size_t bytes = sizeof(list_node);
        constexpr std::size_t alignment = alignof(list_node);
        if constexpr (!Contiguous) {
            return mallard::allocate_many(source, bytes, alignment, count);
        } else if constexpr (requires { source.allocate_many(bytes, alignment, count, count); }) {
            return count == 0 ? mallard::block_chain() : source.allocate_many(bytes, alignment, count, count);
        } else {
            std::abort(); // no strategy has it
        }
    }

    /// Effects: inserts `ranges` ranges of `length` nodes at the end, with one request for each range.
    template <class Source>
    [[gnu::noinline]] static void insert(Source& source, node_list& list, std::size_t ranges,
                                         std::size_t length) {
        for (std::size_t r = 0; r != ranges; ++r) {
            list.push_back_all(allocate(source, length), [r] { return static_cast<int>(r); });
        }
    }

    /// Effects: erases the ranges of `length` nodes between the bounds, with one request for each range.
    template <class Source>
    [[gnu::noinline]] static void erase(Source& source, range_bounds bounds, std::size_t length) {
        for (std::size_t r = 0; r + 1 != bounds.size(); ++r) {
            list_node* const end = bounds[r + 1];
            list_node* const last = end->previous;
            node_list::unlink(bounds[r], end);
            last->next = nullptr;
            mallard::block_chain blocks(bounds[r], last, length);
            blocks.for_each([](void* node) { destroy(static_cast<list_node*>(node)); });
            mallard::deallocate_many(source, std::move(blocks), sizeof(list_node), alignof(list_node));
        }
    }

    /// Effects: as single_nodes::assign(), with one request for the missing nodes.
    template <class Source>
    [[gnu::noinline]] static void assign(Source& source, node_list& list, node_list& original,
                                         std::size_t nodes) {
        const missing_nodes missing = overwrite(list, original, nodes);
        list.push_back_all(allocate(source, missing.count), [from = missing.next]() mutable {
            return std::exchange(from, from->next)->value;
        });
    }

    /// Effects: frees all `nodes` nodes of the list with one request, and empties it.
    template <class Source>
    [[gnu::noinline]] static void clear(Source& source, node_list& list, std::size_t nodes) {
        list_node* const last = list.end()->previous;
        list_node* const first = list.take_all();
        last->next = nullptr;
        mallard::block_chain blocks(first, last, nodes);
        blocks.for_each([](void* node) { destroy(static_cast<list_node*>(node)); });
        mallard::deallocate_many(source, std::move(blocks), sizeof(list_node), alignof(list_node));
    }
};

using bursts_of_nodes = bursts<false>;
using contiguous_bursts = bursts<true>;

} // namespace bench
