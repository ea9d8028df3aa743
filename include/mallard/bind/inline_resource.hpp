/// Binding by inline base: one type, as with an abstract base, and inline calls, as with a type parameter.
///
///     void build(mallard::inline_resource& memory) {                     // compiled once, for all mechanisms
///         std::list<int, mallard::inline_allocator<int>> numbers{&memory};
///         ...
///     }
///     mallard::resource<mallard::multipool<>> pool;
///     build(pool);
///
/// An abstract base costs a virtual call each time. Nearly every call needs only a few words of the mechanism,
/// its front. This base knows where they lie, and makes a virtual call only if they do not suffice.
///
///     offset  bytes
///      0       8     the vtable of std::pmr::memory_resource
///      8       8     front_     the address of the front of a multipool (reuse/pool_front.hpp), of an empty one,
///                              or of the front of a monotonic allocator (impl/chunks/region_front.hpp) plus 1
///
/// A mechanism of another kind, one with other size classes or another order of reuse, an adaptor, and each mechanism
/// of a checked build have no front here, so that each of their calls is virtual. Code that was compiled without
/// checks checks its blocks thus if it is handed a checked resource.
///
/// Invariants: a base without a mechanism's front leads to an empty one. The layout and the inline functions do not depend on NDEBUG,
/// MALLARD_CHECKED or exceptions: parts of a program that were compiled differently hand each other such a base.
/// Thread-safe only if the mechanism is.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/impl/chunks/region_front.hpp>
#include <mallard/reuse/hybrid_order.hpp>
#include <mallard/reuse/pool_front.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace mallard { inline namespace MALLARD_LIBRARY {

class inline_resource : public std::pmr::memory_resource {
public:
    using pool_front = reuse::pool_front<hybrid_order::by_class<eighth_classes>, eighth_classes>;

    inline_resource(const inline_resource&) = delete;
    inline_resource& operator=(const inline_resource&) = delete;

    /// Returns: a block of `bytes` bytes at a multiple of `alignment`.
    /// Throws: the mechanism's exceptions.
    [[nodiscard, gnu::always_inline]] void* allocate(std::size_t bytes,
                                                     std::size_t alignment = fundamental_alignment) {
        if (alignment <= fundamental_alignment) [[likely]] {
            void* const block =
                is_region() ? region().allocate(bytes, alignment) : pool().allocate(bytes, alignment);
            if (block != nullptr) [[likely]] {
                return block;
            }
        }
        return memory_resource::allocate(bytes, alignment);
    }

    /// Returns: the result of allocate(); null where that throws. If src/ was compiled without exceptions, null if the
    /// front has no block, because a std::pmr::memory_resource reports a failure by an exception alone; the try_allocate()
    /// of resource<A> asks the mechanism instead.
    [[nodiscard, gnu::always_inline]] void*
    try_allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        if (alignment <= fundamental_alignment) [[likely]] {
            void* const block =
                is_region() ? region().allocate(bytes, alignment) : pool().allocate(bytes, alignment);
            if (block != nullptr) [[likely]] {
                return block;
            }
        }
        return try_allocate_slowly(bytes, alignment);
    }

    /// Returns: the resource of a default-constructed inline_allocator: new_delete_resource().
    [[nodiscard]] static inline_resource* default_resource() noexcept;

    /// Requires: `p` came from allocate(bytes, alignment) of this resource and was not deallocated since.
    [[gnu::always_inline]] void deallocate(void* p, std::size_t bytes,
                                           std::size_t alignment = fundamental_alignment) noexcept {
        if (is_region()) [[unlikely]] {
            chunks::region_front::deallocate(p, bytes);
            return;
        }
        if (alignment <= fundamental_alignment && pool().deallocate(p, bytes, alignment)) [[likely]] {
            return;
        }
        memory_resource::deallocate(p, bytes, alignment);
    }

    /// Effects: moves the end of the most recent block of a region; with 0 bytes gives the block back.
    /// Returns: false, with no effect, if that is not possible.
    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept {
        return is_region() && region().resize_last(p, old_bytes, new_bytes);
    }

protected:
    /// Effects: makes a base whose calls are virtual.
    inline_resource() noexcept = default;

    /// Effects: serves calls from `front` as long as it suffices, and then by virtual calls.
    /// Requires: `front` outlives all calls, and do_allocate() and do_deallocate() are its mechanism's.
    void serve_from(chunks::region_front& front) noexcept { front_ = to_address(front) + 1; }
    void serve_from(pool_front& front) noexcept { front_ = to_address(front); }

    /// Effects: none. Other fronts are not known here.
    template <class Front>
    void serve_from(Front&) noexcept {}

private:
    /// Returns: true if `other` is this resource. Defined in src/, so that one file of a program has the vtable.
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

    /// Returns: a block by a virtual call; null if that throws.
    [[nodiscard]] void* try_allocate_slowly(std::size_t bytes, std::size_t alignment) noexcept;

    /// The front of no mechanism: it serves no request and takes no block back, and is never written to.
    static inline constinit pool_front no_front{0};

    template <class Front>
    static std::uintptr_t to_address(Front& front) noexcept {
        static_assert(alignof(Front) > 1, "the lowest bit tells the fronts apart");
        return reinterpret_cast<std::uintptr_t>(&front);
    }

    [[nodiscard]] bool is_region() const noexcept { return (front_ & 1) != 0; }
    [[nodiscard]] chunks::region_front& region() const noexcept {
        return *reinterpret_cast<chunks::region_front*>(front_ - 1);
    }
    [[nodiscard]] pool_front& pool() const noexcept { return *reinterpret_cast<pool_front*>(front_); }

    std::uintptr_t front_ = to_address(no_front);
};

static_assert(upstream<inline_resource>);
static_assert(sizeof(inline_resource) == 2 * sizeof(void*) &&
              sizeof(inline_resource::pool_front) == 8 + 2 * sizeof(void*));

/// Returns: the global allocator behind the base (AS2), one for this copy of the library. It is never destroyed, so that
/// containers of static storage duration may use it to the end.
[[nodiscard]] inline_resource* new_delete_resource() noexcept;

/// The allocator of containers that are bound to an inline base: made from a pointer or a reference to it, and one
/// type for all mechanisms. It hands itself down to nested containers (bind/allocator.hpp).
template <class T = std::byte, class OnCopy = shared_on_copy>
using inline_allocator = allocator<T, inline_resource, OnCopy>;

}} // namespace mallard::MALLARD_LIBRARY
