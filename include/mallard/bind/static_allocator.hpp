/// Binding by a tag: a standard allocator without state, because its type names the pool.
///
///     std::list<int, mallard::static_allocator<int, mallard::multipool<>>> numbers;
///
///     struct nodes : mallard::per_thread<nodes, mallard::fixed_pool<>> {};
///     std::list<int, mallard::static_allocator<int, nodes>> other_numbers;
///
/// The name of a mechanism stands for a pool that all containers with this name share: one in each thread, or one for all
/// threads if the mechanism is thread-safe, as concurrent_multipool<>. A tag names a pool of its own.
///
/// Data model: an empty class. A container is one word smaller than with allocator<T, A>, needs no argument, and
/// any two of one type are equal: splice, swap, merge and move assignment never copy an element. Nested
/// containers take from this pool too. The price is that of a global variable: all containers of the tag share
/// the pool, and its thread policy (bind/pool_tag.hpp) holds for them. Under per_thread, a container belongs to
/// the thread that filled it; for containers that travel between threads, name a shared pool.
///
/// A fixed_pool serves containers that allocate node by node: list, forward_list, set, map and their like. Its
/// first request fixes the size, so a tag serves one type of container, or those with nodes no larger. Vectors,
/// deques and the tables of unordered containers need a tag with a multipool.
///
/// A std::pmr::string in such a container does not compile, because it would use the default resource.
///
/// Source: Optimized C++, chapter 13, "Provide Custom Standard Library Allocators".
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/thread_safe.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::bind { inline namespace MALLARD_MODE {

/// A mechanism that can stand for a pool. In one for blocks of one size, containers would fix it for each other.
template <class A>
concept names_its_pool = !pool_tag<A> && local_allocator<A> && std::default_initializable<A> &&
                         !requires(const A& a) { a.block_bytes(); };

/// The tag of the pool that a mechanism stands for.
template <names_its_pool A>
struct mechanism_tag : std::conditional_t<thread_safe<A>, shared_by_threads<mechanism_tag<A>, A>,
                                          per_thread<mechanism_tag<A>, A>> {};

template <class Pool>
struct tag_from {
    using type = Pool;
};
template <names_its_pool A>
struct tag_from<A> {
    using type = mechanism_tag<A>;
};

}} // namespace mallard::bind::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// `Pool` is a tag, or a mechanism.
template <class T, class Pool>
    requires pool_tag<Pool> || bind::names_its_pool<Pool>
class static_allocator {
    using tag = typename bind::tag_from<Pool>::type;

public:
    using value_type = T;
    using propagate_on_container_move_assignment = std::true_type;
    using is_always_equal = std::true_type;

    static_allocator() = default;

    template <class U>
    static_allocator(const static_allocator<U, Pool>&) noexcept {}

    /// Returns: room for `n` objects.
    /// Throws: std::bad_alloc, also if the pool has no such blocks.
    [[nodiscard]] T* allocate(std::size_t n) { return bound().allocate(n); }

    /// Returns: room for `n` objects; null if allocate() would throw.
    [[nodiscard]] T* try_allocate(std::size_t n) noexcept
        requires nothrow_upstream<tag_pool_t<tag>>
    {
        return bound().try_allocate(n);
    }

    /// Requires: `p` came from allocate(n) and was not deallocated since, and the calling thread's pool is the one it came from.
    void deallocate(T* p, std::size_t n) noexcept { bound().deallocate(p, n); }

    [[nodiscard]] static constexpr std::size_t max_size() noexcept { return bound_type::max_size(); }

    /// Effects: none. It does not compile: the memory of an element that refers to a base would lie elsewhere.
    template <class U, class... Args>
        requires bind::loses_allocator<U, static_allocator<U, Pool>>
    void construct(U* p, Args&&... args) {
        bind::construct_element(p, static_allocator<U, Pool>(), std::forward<Args>(args)...);
    }

    [[nodiscard]] static tag_pool_t<tag>& mechanism() noexcept { return tag::pool(); }

private:
    using bound_type = allocator<T, tag_pool_t<tag>>;

    static bound_type bound() noexcept { return tag::pool(); }
};

template <class T, class U, class Pool>
[[nodiscard]] constexpr bool operator==(const static_allocator<T, Pool>&,
                                        const static_allocator<U, Pool>&) noexcept {
    return true;
}

}} // namespace mallard::MALLARD_MODE
