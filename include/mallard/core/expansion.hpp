/// Blocks that change their size: the request and the answer.
///
///     before     ... |  free  |  block  |  free  | ...
///     forward    ... |  free  |  block ------->  | ...      at its address
///     backward   ... |  <------ block   |  free  | ...      further down, by a multiple of the step
///
/// Data model: a request has a least and a preferred number of bytes, the allowed expansions, and the step by which
/// the begin of the block may move down. A multiple of the element size keeps the elements in place as elements of
/// the larger block. The answer has the block, its bytes, and the expansion that was done.
///
/// Source: N2045, Gaztañaga, "Improving STL allocators" (expand_fwd, expand_bwd, allocate_new); Gaztañaga,
/// "Applying classic memory allocation strategies to C++ containers", chapter 1.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard { inline namespace MALLARD_LIBRARY {

/// The expansions that give a block its size, in the order in which they are tried.
enum class expansion : std::uint8_t {
    none = 0,
    forward = 1,  ///< the block takes the free memory behind it
    backward = 2, ///< it takes the free memory in front of it, and perhaps that behind it too
    fresh = 4,    ///< another block is allocated
    in_place = forward | backward,
    forward_or_fresh = forward | fresh,
    backward_or_fresh = backward | fresh,
    any = in_place | fresh
};

[[nodiscard]] constexpr expansion operator|(expansion a, expansion b) noexcept {
    return static_cast<expansion>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

[[nodiscard]] constexpr expansion operator&(expansion a, expansion b) noexcept {
    return static_cast<expansion>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// Returns: the expansions of `set` that are not in `removed`.
[[nodiscard]] constexpr expansion without(expansion set, expansion removed) noexcept {
    return static_cast<expansion>(static_cast<unsigned>(set) & ~static_cast<unsigned>(removed));
}

/// Returns: true if all expansions of `wanted` are in `set`.
[[nodiscard]] constexpr bool includes(expansion set, expansion wanted) noexcept {
    return (set & wanted) == wanted;
}

struct expansion_request {
    std::size_t least_bytes = 0;                    ///< the fewest bytes that suffice
    std::size_t preferred_bytes = 0;                ///< the wanted bytes; at least least_bytes
    std::size_t alignment = fundamental_alignment;  ///< of a fresh block
    std::size_t step_bytes = fundamental_alignment; ///< a block that grows backward begins a multiple of
                                                    ///< this further down; backward_step()
    expansion allowed = expansion::any;
};

struct expansion_result {
    void* p = nullptr;     ///< null: nothing happened
    std::size_t bytes = 0; ///< the bytes that the block has now, at least least_bytes
    expansion method =
        expansion::none; ///< forward: `p` is the old block. backward: `p` is further down, and the
                         ///< contents keep their addresses. fresh: the old block is untouched
};

/// A block and its usable bytes, at least as many as were requested.
struct sized_block {
    void* p = nullptr;
    std::size_t bytes = 0;
};

/// Returns: the shortest distance by which a block may grow backward, so that its beginning stays at a multiple
/// of the granule and its objects stay at multiples of their size: the least common multiple.
/// Requires: neither is 0, and the result is representable.
[[nodiscard]] constexpr std::size_t backward_step(std::size_t object_bytes,
                                                  std::size_t granule_bytes = 16) noexcept {
    std::size_t divisor = object_bytes; // the greatest common one, by Euclid
    for (std::size_t rest = granule_bytes; rest != 0;) {
        divisor = std::exchange(rest, divisor % rest);
    }
    return object_bytes / divisor * granule_bytes;
}

/// An allocator whose blocks change their size. `expand` gives block `p`, or no block if it is null, the bytes of
/// the request in the first way that is open. If none is, it throws if a fresh block was allowed, and returns a
/// null result otherwise; `try_expand` always returns a null result. `shrink` gives back memory behind the first
/// `bytes` bytes as far as possible, and returns the bytes that are left. `allocate_at_least` returns the bytes
/// too. Blocks know their sizes, so the numbers given to `deallocate` are ignored.
template <class A>
concept expandable = upstream<A> && requires(A& a, const A& const_a, void* p,
                                             const expansion_request& request, std::size_t n) {
    { a.expand(p, request) } -> std::same_as<expansion_result>;
    { a.try_expand(p, request) } noexcept -> std::same_as<expansion_result>;
    { a.shrink(p, n) } noexcept -> std::same_as<std::size_t>;
    { const_a.usable_bytes(p) } noexcept -> std::same_as<std::size_t>;
    { a.allocate_at_least(n, n) } -> std::same_as<sized_block>;
};

}} // namespace mallard::MALLARD_LIBRARY
