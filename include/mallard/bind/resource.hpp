/// Binding by abstract base: a mechanism behind std::pmr::memory_resource, and behind mallard::inline_resource.
///
///     mallard::resource<mallard::multipool<>> pool;
///     std::pmr::vector<std::pmr::string> v{&pool};                  // virtual calls
///     std::list<int, mallard::inline_allocator<int>> numbers{&pool};   // inline where the mechanism has a front
///
///     mallard::monotonic arena;
///     mallard::resource r(arena);                                   // a resource<monotonic<>&>
///
/// Data model: a pointer to a vtable, one to the mechanism's front (bind/inline_resource.hpp), then the mechanism;
/// resource<A&> refers to a mechanism elsewhere. The polymorphic allocators of the standard containers hand the
/// resource down to nested containers. Two resources are equal if they have the same mechanism, or if it has no
/// state: either can free the blocks of the other. A program without run-time type information knows this only of
/// a resource and itself. Parts of a program compare resources only if all have that information, or none.
///
/// Source: P0089R1, section 4 (AS2 is resource<new_delete>; AS5, AS6, AS9, AS10, AS13, AS14).
#pragma once

#include <mallard/bind/inline_resource.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/impl/checking/tombstone.hpp>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>

namespace mallard::bind { inline namespace MALLARD_LIBRARY {

/// The base of the resources of a mechanism without state, in every mode: each can free the blocks of the others. `Source` is
/// the mechanism, or what it names as its source if its own name tells the mode.
template <class Source>
class resource_without_state : public inline_resource {};

template <class A>
struct resource_base {
    using type = inline_resource;
};
template <stateless_upstream A>
struct resource_base<A> {
    using type = resource_without_state<A>;
};
template <stateless_upstream A>
    requires requires { typename A::source_type; }
struct resource_base<A> {
    using type = resource_without_state<typename A::source_type>;
};

}} // namespace mallard::bind::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_MODE {

/// Holds a mechanism of type A; resource<A&> refers to one that outlives it. Neither copied nor moved, because containers point to
/// it. Thread-safe if the mechanism is. A call has the contract of the mechanism's member of that name.
template <class A>
    requires upstream<std::remove_reference_t<A>>
class resource final
    : public checking::resource_by_default<typename bind::resource_base<std::remove_reference_t<A>>::type> {
public:
    using mechanism_type = std::remove_reference_t<A>;

    /// Effects: makes the mechanism of `args`; resource<A&> takes the mechanism to refer to.
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit resource(Args&&... args) noexcept(std::is_nothrow_constructible_v<A, Args...>)
        : mechanism_(std::forward<Args>(args)...) {
        if constexpr (core::has_front<mechanism_type>) {
            this->serve_from(mechanism_.front());
        }
    }

    resource(const resource&) = delete;
    resource& operator=(const resource&) = delete;
    ~resource() override = default;

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // a polymorphic allocator takes its address

    [[nodiscard]] mechanism_type& mechanism() noexcept { return mechanism_; }
    [[nodiscard]] const mechanism_type& mechanism() const noexcept { return mechanism_; }

    /// Returns: a block of the mechanism, whose type is known here: no front is looked for.
    /// Throws: the mechanism's exceptions.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        return mechanism_.allocate(bytes, alignment);
    }

    /// Requires: `p` came from allocate(bytes, alignment) of this resource or its base and was not deallocated since.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        core::give_back(mechanism_, p, bytes, alignment);
    }

    /// Returns: the result of allocate(); null where that throws.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        if constexpr (nothrow_upstream<mechanism_type>) {
            return mechanism_.try_allocate(bytes, alignment);
        } else {
            return this->inline_resource::try_allocate(bytes, alignment);
        }
    }

    /// Returns: true if `p` lies in the memory of the mechanism.
    [[nodiscard]] bool owns(const void* p) const noexcept
        requires requires(const mechanism_type& m) { m.owns(p); }
    {
        return mechanism_.owns(p);
    }

    /// Returns: the statistics of the mechanism.
    [[nodiscard]] auto stats() const
        requires requires(const mechanism_type& m) { m.stats(); }
    {
        return mechanism_.stats();
    }

    /// Effects: returns all memory of the mechanism to its upstream, and invalidates all blocks.
    void release() noexcept
        requires local_allocator<mechanism_type>
    {
        mechanism_.release();
    }

    /// Effects: forgets all blocks, and keeps the memory for the next use.
    void rewind() noexcept
        requires rewindable<mechanism_type>
    {
        mechanism_.rewind();
    }

    /// Effects: takes over the blocks of `other`, which live as long as those of this resource (local/monotonic.hpp).
    /// Returns: false, with no effect, if the mechanisms cannot be joined.
    [[nodiscard]] bool adopt(resource& other) noexcept
        requires requires(mechanism_type& m) { m.adopt(m); }
    {
        return mechanism_.adopt(other.mechanism_);
    }

    /// Returns: the present point in the mechanism's life, for rollback() or a checkpoint.
    [[nodiscard]] auto mark() const noexcept
        requires rewindable<mechanism_type>
    {
        return mechanism_.mark();
    }

    /// Effects: forgets the blocks that were allocated since the mark.
    template <class Position>
    void rollback(Position to) noexcept
        requires rewindable<mechanism_type>
    {
        mechanism_.rollback(to);
    }

    /// Effects: moves the end of the most recent block.
    /// Returns: false, with no effect, if that is not possible.
    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept
        requires requires(mechanism_type& m) { m.resize_last(p, old_bytes, new_bytes); }
    {
        return mechanism_.resize_last(p, old_bytes, new_bytes);
    }

private:
    // Flattened: a fast path in functions of its own would save and restore registers that it does not need.
    [[gnu::flatten]] void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return mechanism_.allocate(bytes, alignment);
    }

    [[gnu::flatten]] void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        mechanism_.deallocate(p, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        if constexpr (stateless_upstream<mechanism_type>) {
            return this == &other ||
                   cast_to<typename bind::resource_base<mechanism_type>::type>(other) != nullptr;
        } else {
            return this == &other || find_mechanism(other) == std::addressof(mechanism_);
        }
    }

    /// Returns: the mechanism of `other`, if that is a binding of such a one; otherwise null.
    static const mechanism_type* find_mechanism(const std::pmr::memory_resource& other) noexcept {
        if constexpr (std::is_destructible_v<mechanism_type>) { // a region_heap is only referred to
            if (const auto* const owner = cast_to<resource<mechanism_type>>(other)) {
                return std::addressof(owner->mechanism());
            }
        }
        const auto* const reference = cast_to<resource<mechanism_type&>>(other);
        return reference == nullptr ? nullptr : std::addressof(reference->mechanism());
    }

    /// Returns: `other` as a Derived; null if it is not one, or without run-time type information.
    template <class Derived>
    static const Derived* cast_to([[maybe_unused]] const std::pmr::memory_resource& other) noexcept {
#ifdef __cpp_rtti
        return dynamic_cast<const Derived*>(&other);
#else
        return nullptr;
#endif
    }

    A mechanism_;
};

template <class A>
    requires upstream<A> && (!std::is_base_of_v<std::pmr::memory_resource, A>)
resource(A&) -> resource<A&>;

}} // namespace mallard::MALLARD_MODE
