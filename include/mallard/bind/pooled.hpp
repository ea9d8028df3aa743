/// A class with its own pool for new and delete: class-specific operator new, as a base.
///
///     class order : public mallard::pooled<order> { ... };
///
///     order* o = new order(17);      from the pool: one block, no header
///     delete o;                      back to it, in any thread
///
/// new and delete keep the meaning that the language gives them:
///
///     new T                          the pool
///     new (std::nothrow) T           the pool; null if it has no block
///     new D, D derived from T        the pool if D is as large and as aligned as T, else the global heap
///     new T[n]                       the global heap, by the global operators
///     new (p) T                      at `p`
///     delete p                       to its source, by the size that the language passes: a class with
///                                    derived classes needs a virtual destructor, as always
///     T(...) throws                  the block goes back to its source
///
/// Data model: the base is empty. A pool tag names the pool (bind/pool_tag.hpp) and defines which threads may use
/// it. By default that is the pool of all such classes (bind/common_pool.hpp): any thread deletes an object, which may
/// outlive the thread that made it. A class has its own pool by name, here one in each thread, without any lock:
///
///     struct order_pool : mallard::per_thread<order_pool, mallard::fixed_pool<>> {};
///     class order : public mallard::pooled<order, order_pool> { ... };
///
///     order::pool().release();       all orders of this thread at once, for a test that starts again from nothing
///
/// The thread that made such an object deletes it, before the thread ends.
///
/// Invariants: requests to the pool have sizeof(T) bytes; all others go to the global heap. Sizes tell the two
/// apart, except for a constructor that throws after `new (std::nothrow)`: the language passes none then, so the
/// pool must know its blocks by their address (owns()).
///
/// Source: Optimized C++, chapter 13, "Adding a Class-Specific operator new()"; [class.free], [expr.new] in
/// the C++ standard.
#pragma once

#include <mallard/bind/common_pool.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/utility.hpp>

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>

namespace mallard::bind { inline namespace MALLARD_LIBRARY {

/// The global operators new and delete for all other blocks. Out of line, because compilers and analysers would
/// warn of such a block in operator delete of a class.
class global_heap {
public:
    /// Throws: std::bad_alloc, after the out-of-memory handler has run.
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment);
    /// Returns: null if there is no memory.
    [[nodiscard]] static void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;

    static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    static void deallocate_of_any_size(void* p, std::size_t alignment) noexcept;
};

}} // namespace mallard::bind::MALLARD_LIBRARY

namespace mallard::bind { inline namespace MALLARD_MODE {

/// An allocator that knows whether an address lies in its memory.
template <class A>
concept checks_ownership = requires(const A& a, const void* p) {
    { a.owns(p) } noexcept -> std::same_as<bool>;
};

}} // namespace mallard::bind::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// Base of a class T, public; `Tag` is a pool tag. A derived class with its own pool derives from pooled<D>
/// as well and declares `using pooled<D>::operator new; using pooled<D>::operator delete;`.
template <class T, class Tag = common_pool>
class pooled {
public:
    /// Returns: the pool. Blocks that release() forgets must not be in use.
    [[nodiscard]] static auto& pool() noexcept {
        static_assert(pool_tag<Tag>);
        return Tag::pool();
    }

    /// Effects: reserves `count` objects in the pool. Those of per_thread are the calling thread's.
    /// Throws: the pool's exceptions.
    static void reserve(std::size_t count)
        requires requires(tag_pool_t<Tag>& p) { p.reserve(count, count, count); }
    {
        pool().reserve(sizeof(T), alignment(), count);
    }

    /// Returns: a block of the pool for a T; of the global heap for a derived class of another size.
    /// Throws: std::bad_alloc, or the exceptions of the pool's upstream.
    /// Complexity: the pool's.
    [[nodiscard]] static void* operator new(std::size_t bytes) {
        return is_pooled(bytes) ? pool().allocate(sizeof(T), alignment())
                                : bind::global_heap::allocate(bytes, 1);
    }

    /// For a class, or a derived one, that is over-aligned. A template like its operator delete below: g++ calls
    /// the two mismatched if only one of them is.
    template <std::same_as<std::align_val_t> Alignment>
    [[nodiscard]] static void* operator new(std::size_t bytes, Alignment wanted) {
        return is_pooled(bytes, wanted)
                   ? pool().allocate(sizeof(T), alignment())
                   : bind::global_heap::allocate(bytes, static_cast<std::size_t>(wanted));
    }

    /// Returns: null if there is no memory.
    [[nodiscard]] static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
        return is_pooled(bytes) ? allocate_or_null() : bind::global_heap::try_allocate(bytes, 1);
    }

    [[nodiscard]] static void* operator new(std::size_t bytes, std::align_val_t wanted,
                                            const std::nothrow_t&) noexcept {
        return is_pooled(bytes, wanted)
                   ? allocate_or_null()
                   : bind::global_heap::try_allocate(bytes, static_cast<std::size_t>(wanted));
    }

    [[nodiscard]] static void* operator new(std::size_t, void* at) noexcept { return at; }

    /// Effects: makes the block free for another T, or gives it back to the global heap.
    /// Requires: `p` is null or came from operator new of `bytes`, and the pool's threads allow it.
    static void operator delete(void* p, std::size_t bytes) noexcept {
        if (p == nullptr) {
            return;
        }
        if (is_pooled(bytes)) [[likely]] {
            deallocate(p);
        } else {
            bind::global_heap::deallocate(p, bytes, 1);
        }
    }

    static void operator delete(void* p, std::size_t bytes, std::align_val_t wanted) noexcept {
        if (p == nullptr) {
            return;
        }
        if (is_pooled(bytes, wanted)) [[likely]] {
            deallocate(p);
        } else {
            bind::global_heap::deallocate(p, bytes, static_cast<std::size_t>(wanted));
        }
    }

    /// For a constructor that has thrown.
    static void operator delete(void* p, const std::nothrow_t&) noexcept { take_back(p, 1); }

    static void operator delete(void* p, std::align_val_t wanted, const std::nothrow_t&) noexcept {
        take_back(p, static_cast<std::size_t>(wanted));
    }

    static void operator delete(void*, void*) noexcept {}

    /// g++ takes new of an over-aligned class for a placement form and looks for this one if the constructor
    /// throws. As a template it is not a candidate for delete.
    template <std::same_as<std::align_val_t> Alignment>
    static void operator delete(void* p, Alignment wanted) noexcept {
        operator delete(p, wanted, std::nothrow);
    }

private:
    friend T;
    pooled() = default;

    /// A derived class of T's size may be more strictly aligned than T: as strictly as that size allows, and as
    /// new provides without a request.
    static constexpr std::size_t alignment() noexcept {
        constexpr std::size_t of_any_such_size = sizeof(T) & -sizeof(T);
        return core::max(alignof(T),
                         core::min<std::size_t>(of_any_such_size, __STDCPP_DEFAULT_NEW_ALIGNMENT__));
    }

    static constexpr bool is_pooled(std::size_t bytes) noexcept { return bytes == sizeof(T); }

    static constexpr bool is_pooled(std::size_t bytes, std::align_val_t wanted) noexcept {
        return is_pooled(bytes) && static_cast<std::size_t>(wanted) <= alignment();
    }

    /// Effects: makes a block of unknown size free.
    [[gnu::cold, gnu::noinline]] static void take_back(void* p, std::size_t wanted) noexcept {
        if (is_from_pool(p)) {
            deallocate(p);
        } else {
            bind::global_heap::deallocate_of_any_size(p, wanted);
        }
    }

    /// Returns: true if such a block is one of the pool.
    static bool is_from_pool(const void* p) noexcept {
        if constexpr (std::is_final_v<T>) {
            return true;
        } else {
            static_assert(
                bind::checks_ownership<tag_pool_t<Tag>>,
                "where a constructor throws, the language tells no size after new (std::nothrow), nor "
                "g++ for over-aligned classes, so the pool has to know its blocks (owns()): make the "
                "class final, or name a pool that does");
            return pool().owns(p);
        }
    }

    static void* allocate_or_null() noexcept {
        if constexpr (requires { pool().try_allocate(sizeof(T), alignment()); }) {
            return pool().try_allocate(sizeof(T), alignment());
        } else {
            const core::cancellation_disabled meanwhile;
            return core::null_if_throws([] { return pool().allocate(sizeof(T), alignment()); });
        }
    }

    static void deallocate(void* p) noexcept { pool().deallocate(p, sizeof(T), alignment()); }
};

}} // namespace mallard::MALLARD_MODE
