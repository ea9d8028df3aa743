/// Binding by abstract base: a mechanism behind std::pmr::memory_resource, and behind mallard::inline_resource.
///
///     mallard::resource<mallard::multipool<>> pool;
///     std::pmr::vector<std::pmr::string> v{&pool};                  // virtual calls
///     std::list<int, mallard::inline_allocator<int>> numbers{&pool};   // inline where the mechanism has a front
///
/// Data model: a vtable and pointers to the mechanism's front (bind/inline_resource.hpp), then the mechanism;
/// resource<A&> refers to a mechanism elsewhere. The polymorphic allocators of the standard containers hand the
/// resource down to nested containers.
///
/// Source: P0089R1, section 4 (AS2 is resource<new_delete>; AS5, AS6, AS9, AS10, AS13, AS14).
#pragma once

#include <mallard/bind/inline_resource.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <cstddef>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::inline MALLARD_MODE {

template <class A>
    requires upstream<std::remove_reference_t<A>>
class resource final : public inline_resource {
public:
    using mechanism_type = std::remove_reference_t<A>;

    /// Effects: makes the mechanism of `args`; resource<A&> takes the mechanism to refer to.
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit resource(Args&&... args) noexcept(std::is_nothrow_constructible_v<A, Args...>)
        : mechanism_(std::forward<Args>(args)...) {
        if constexpr (core::has_front<mechanism_type>) {
            serve_from(mechanism_.front());
        }
    }

    resource(const resource&) = delete;
    resource& operator=(const resource&) = delete;
    ~resource() override = default;

    [[nodiscard]] mechanism_type& mechanism() noexcept { return mechanism_; }
    [[nodiscard]] const mechanism_type& mechanism() const noexcept { return mechanism_; }

    /// Effects: gives all memory of the mechanism back to its upstream; all blocks are gone.
    void release() noexcept
        requires local_allocator<mechanism_type>
    {
        mechanism_.release();
    }

private:
    // Flattened: a fast path in functions of its own would save and restore registers that it does not need.
    [[gnu::flatten]] void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return mechanism_.allocate(bytes, alignment);
    }

    [[gnu::flatten]] void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        mechanism_.deallocate(p, bytes, alignment);
    }

    A mechanism_;
};

/// Returns: the global allocator behind the abstract base (AS2), one for the whole process.
[[nodiscard]] inline std::pmr::memory_resource* new_delete_resource() noexcept {
    // Never destroyed: containers with static storage duration may use it to the end.
    alignas(resource<new_delete>) static std::byte storage[sizeof(resource<new_delete>)];
    static auto* const instance = ::new (static_cast<void*>(storage)) resource<new_delete>();
    return instance;
}

} // namespace mallard::inline MALLARD_MODE
