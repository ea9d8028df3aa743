/// Binding by a tag: a standard allocator without state, because its type names the pool.
///
///     struct nodes : mallard::per_thread<nodes, mallard::fixed_pool<>> {};
///     std::list<int, mallard::static_allocator<int, nodes>> numbers;
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

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

template <class T, pool_tag Tag>
class static_allocator {
public:
    using value_type = T;
    using propagate_on_container_move_assignment = std::true_type;
    using is_always_equal = std::true_type;

    static_allocator() = default;

    template <class U>
    static_allocator(const static_allocator<U, Tag>&) noexcept {}

    /// Returns: room for `n` objects.
    /// Throws: std::bad_alloc, also if the pool has no such blocks.
    [[nodiscard]] T* allocate(std::size_t n) { return bound().allocate(n); }

    /// Returns: room for `n` objects; null if allocate() would throw.
    [[nodiscard]] T* try_allocate(std::size_t n) noexcept
        requires nothrow_upstream<tag_pool_t<Tag>>
    {
        return bound().try_allocate(n);
    }

    void deallocate(T* p, std::size_t n) noexcept { bound().deallocate(p, n); }

    [[nodiscard]] static constexpr std::size_t max_size() noexcept { return bound_type::max_size(); }

    /// Effects: none. It does not compile: the memory of an element that refers to a base would lie elsewhere.
    template <class U, class... Args>
        requires bind::loses_allocator<U, static_allocator<U, Tag>>
    void construct(U* p, Args&&... args) {
        bind::construct_element(p, static_allocator<U, Tag>(), std::forward<Args>(args)...);
    }

    [[nodiscard]] static tag_pool_t<Tag>& mechanism() noexcept { return Tag::pool(); }

private:
    using bound_type = allocator<T, tag_pool_t<Tag>>;

    static bound_type bound() noexcept { return Tag::pool(); }
};

template <class T, class U, class Tag>
[[nodiscard]] constexpr bool operator==(const static_allocator<T, Tag>&,
                                        const static_allocator<U, Tag>&) noexcept {
    return true;
}

}} // namespace mallard::MALLARD_MODE
