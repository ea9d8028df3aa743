/// The vocabulary of the library as concepts.
///
///     upstream          gives and takes back memory       pages, chunk_cache, new_delete, any allocator
///     local_allocator   ... and returns all of it at once   monotonic, multipool, fixed_pool
///     rewindable        ... and goes back to a mark         monotonic
///     nothrow_upstream  ... and may fail without an exception   the same ones, chunk_cache, pages, new_delete, buffer
///     burst_allocator   gives and takes many blocks at once   multipool, fixed_pool
///     mixed_burst_allocator   ... of different sizes      heap
///     expandable        changes the size of its blocks (core/expansion.hpp)   heap
///     pool_tag          names an allocator                per_thread, shared_by_threads, single_threaded
///
/// Members that the library calls if an upstream or a mechanism has them. A member of such a name must do this:
///
///     discard(p, bytes) noexcept         the contents of a part of a block are lost, and its pages may go back; of an upstream
///     allocate_at_least(bytes, alignment)   a sized_block of `bytes` or more; try_allocate_at_least() returns null instead of throwing
///     resize_last(p, old, bytes) noexcept   moves the end of the last block, 0 ends it; false, with no effect, if it cannot
///     deallocate(p) noexcept             as deallocate(p, bytes, alignment), of a mechanism whose blocks know their sizes
///     reserve(bytes), reserve(bytes, alignment, count)   takes memory before it is needed; no block is handed out
///     trim() noexcept                    returns empty chunks to the upstream; no block moves
///     tidy() noexcept                    trims, and orders what is free; may be slow
///     settle() noexcept                  merges what is free; nothing goes back
///     adopt(other) noexcept              takes over the blocks of `other`; false, with no effect, if it cannot
///     owns(p) noexcept                   true if `p` lies in its memory, in a block or free
///     stats()                            allocator_stats, or convertible to it
///     block_bytes(), block_alignment() noexcept   the size of all blocks, if all have one
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_LIBRARY {

/// The source of a local allocator's chunks. `allocate` returns `bytes` bytes at `alignment`, a power of two. It
/// never returns null; it reports failure by an exception. Zero bytes are a valid request. `deallocate` takes the
/// pointer back, with its bytes and alignment. std::pmr::memory_resource is an upstream.
template <class U>
concept upstream = requires(U& u, void* p, std::size_t bytes, std::size_t alignment) {
    { u.allocate(bytes, alignment) } -> std::same_as<void*>;
    u.deallocate(p, bytes, alignment);
};

/// An upstream that reports failure by a null pointer too. `try_allocate` returns what `allocate` returns, and null
/// where that throws: the out-of-memory handler is not called then, and the upstream is unchanged. An allocator passes
/// such a request on to its own upstream as core::ask_quietly() does: if that one has no `try_allocate`, its exception is
/// caught; in a program without exceptions it is not asked, so that the allocator serves from the memory that it holds.
template <class U>
concept nothrow_upstream = upstream<U> && requires(U& u, std::size_t bytes, std::size_t alignment) {
    { u.try_allocate(bytes, alignment) } noexcept -> std::same_as<void*>;
};

/// A managed allocator that serves a part of a program (P0089R1, section 3). `release` returns all that it holds
/// to its upstream, deallocated or not, and leaves the allocator as it was made. A pool over this allocator must
/// be released before, because it keeps its lists in this memory.
template <class A>
concept local_allocator = upstream<A> && requires(A& a, void* p, std::size_t n) {
    { a.deallocate(p, n, n) } noexcept;
    { a.release() } noexcept;
};

/// `rewind` forgets all blocks and keeps the memory for the next use. `rollback` forgets the blocks that were
/// allocated since the mark.
template <class A>
concept rewindable = local_allocator<A> && requires(A& a, const A& const_a) {
    { a.rewind() } noexcept;
    { const_a.mark() } noexcept;
    { a.rollback(const_a.mark()) } noexcept;
};

/// An allocator that serves a burst for less than as many single requests. `allocate_many` returns `count` blocks
/// of at least a pointer's size; if not all can be had, it keeps none and reports the failure. `deallocate_many`
/// takes blocks of these bytes and this alignment, allocated in a burst or not. core/burst.hpp has both functions
/// for every allocator.
template <class A>
concept burst_allocator = upstream<A> && requires(A& a, block_chain& blocks, std::size_t n) {
    { a.allocate_many(n, n, n) } -> std::same_as<block_chain>;
    { a.deallocate_many(std::move(blocks), n, n) } noexcept;
};

/// An allocator that serves bursts of different sizes, each at least a pointer's, in the order of the sizes, and
/// takes back blocks of any size, because its blocks know their sizes.
template <class A>
concept mixed_burst_allocator =
    burst_allocator<A> &&
    requires(A& a, block_chain& blocks, std::span<const std::size_t> sizes, std::size_t alignment) {
        { a.allocate_many(sizes, alignment) } -> std::same_as<block_chain>;
        { a.deallocate_many(std::move(blocks)) } noexcept;
    };

/// An upstream without state, which needs no pointer to be found again.
template <class U>
concept stateless_upstream = upstream<U> && std::is_empty_v<U> && std::default_initializable<U>;

/// An upstream that only refers to another one, so that users of it keep a copy (upstream/upstream_ref.hpp).
template <class U>
concept upstream_reference =
    upstream<U> && std::copyable<U> && requires { typename U::refers_to_an_upstream; };

/// A type that names a pool (bind/pool_tag.hpp): `Tag::pool()` returns a reference to it, and never fails.
template <class Tag>
concept pool_tag = requires {
    { Tag::pool() } noexcept;
    requires std::is_lvalue_reference_v<decltype(Tag::pool())>;
    requires upstream<std::remove_reference_t<decltype(Tag::pool())>>;
};

/// The type of the pool that a tag names.
template <pool_tag Tag>
using tag_pool_t = std::remove_reference_t<decltype(Tag::pool())>;

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_LIBRARY {

class global_heap; // never defined: the source of new_delete, whose own name tells the mode

/// True if all blocks have one size that the user chose, so that there is no room around them.
template <class A>
concept gives_fixed_blocks = requires { requires A::has_fixed_blocks; };

/// A mechanism whose calls a binding may serve from its front, the words of the fast path, without calling it. The
/// class says so of itself, with its own name: a class that derives from it and changes a call does not inherit it.
/// A mechanism with a registry of its blocks has no front.
template <class A>
concept has_front = std::same_as<typename A::front_owner, A> && requires(A& a) {
    { a.front() } noexcept;
};

/// True if only the most recent allocation can be reused. A quarantine in front of it would exhaust it.
template <class A>
concept reuses_only_the_last = requires { requires A::only_the_last_is_reused; };

/// std::ranges::contiguous_range, without `<ranges>`: a string, a vector, a span.
template <class T>
concept has_data = requires(T& t) {
    t.data();
    t.size();
};

/// True for arguments of a constructor that would be memory or a size elsewhere: a number, a pointer or an array of
/// characters; and std::byte with a number after it. An allocator takes a std::span<std::byte>, an upstream and options.
template <class First, class... Args>
inline constexpr bool is_memory_or_size = [] {
    using first = std::remove_cvref_t<First>;
    return std::is_arithmetic_v<first> || std::is_pointer_v<first> ||
           ((std::is_array_v<std::remove_reference_t<First>> || has_data<First>) &&
            !std::is_convertible_v<First, std::span<std::byte>>) ||
           (std::is_convertible_v<First, std::span<std::byte>> &&
            (std::is_arithmetic_v<std::remove_cvref_t<Args>> || ...));
}();

/// std::pmr::polymorphic_allocator, recognised without `<memory_resource>`.
template <class T>
concept allocates_from_a_resource = requires(const T& allocator) {
    typename T::value_type;
    allocator.resource()->is_equal(*allocator.resource());
};

/// An upstream that is no `A`. An allocator A whose constructors do not take it has another upstream in its type.
template <class Source, class A>
concept foreign_upstream = upstream<Source> && !std::derived_from<Source, A>;

}} // namespace mallard::core::MALLARD_LIBRARY
