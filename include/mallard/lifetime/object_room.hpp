/// Room for an object in memory of an allocator, and the allocator that the object is made with.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/inline_resource.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/lifetime/winkable.hpp>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::lifetime { inline namespace MALLARD_MODE {

/// True if `Alloc` is an allocator that names the mechanism A, with any policy for copies.
template <class Alloc, class A>
inline constexpr bool names = false;
template <class T, class A, class OnCopy>
inline constexpr bool names<allocator<T, A, OnCopy>, A> = true;

/// The allocator that a container within T is bound to; `nothing` if there is none.
template <class T>
using home_of_t = typename wink_parts<std::remove_cv_t<T>>::home;

/// The allocator that a T takes from a base: that of a container within T, if it names the inline base; otherwise a
/// polymorphic allocator.
template <class T>
using allocator_through_base_t = std::conditional_t<names<home_of_t<T>, inline_resource>, home_of_t<T>,
                                                    std::pmr::polymorphic_allocator<std::byte>>;

/// The allocator that a T takes from a mechanism: that of a container within T, if it names the mechanism.
template <class T, class A>
using allocator_of_mechanism_t =
    std::conditional_t<names<home_of_t<T>, A>, home_of_t<T>, allocator<std::byte, A>>;

/// The allocator that a T takes from memory of this type, a mechanism or a base.
template <class T, class Memory>
using allocator_for_t =
    typename std::conditional_t<std::is_base_of_v<std::pmr::memory_resource, Memory>,
                                std::type_identity<allocator_through_base_t<T>>,
                                std::type_identity<allocator_of_mechanism_t<T, Memory>>>::type;

/// Effects: gives a block back whose user never came to be. A monotonic allocator, which ignores deallocations, takes
/// the block back if it is the most recent one.
template <upstream Memory>
void give_back(Memory& from, void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (requires { from.resize_last(p, bytes, std::size_t{0}); }) {
        if (from.resize_last(p, bytes, 0)) {
            return;
        }
    }
    core::give_back(from, p, bytes, alignment);
}

/// Room for a T. It goes back if no T is made in it.
template <class T, upstream Memory>
class object_room {
public:
    /// Throws: the exceptions of the allocation.
    explicit object_room(Memory& from) : from_(from), p_(from.allocate(sizeof(T), alignof(T))) {}

    object_room(const object_room&) = delete;
    object_room& operator=(const object_room&) = delete;

    ~object_room() {
        if (p_ != nullptr) {
            give_back(from_, p_, sizeof(T), alignof(T));
        }
    }

    /// Effects: makes a T of `args`, hands it the allocator if it takes one, and keeps the room.
    /// Throws: the exceptions of T's constructor.
    template <class... Args>
    T& make(Args&&... args) {
        bind::construct_with(static_cast<std::remove_cv_t<T>*>(p_),
                             allocator_for_t<T, Memory>(std::addressof(from_)), std::forward<Args>(args)...);
        return keep();
    }

    /// Effects: makes an array whose elements are value-initialised, and keeps the room.
    /// Throws: the exceptions of the elements' constructor.
    T& make()
        requires std::is_array_v<T>
    {
        ::new (p_) std::remove_cv_t<T>();
        return keep();
    }

private:
    T& keep() noexcept { return *std::launder(static_cast<T*>(std::exchange(p_, nullptr))); }

    Memory& from_;
    void* p_;
};

}} // namespace mallard::lifetime::MALLARD_MODE
