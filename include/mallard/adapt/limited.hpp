/// Refuses requests beyond a budget: a subsystem that must not grow without bound.
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/failure.hpp>

namespace mallard {

/// The budget is for the bytes in use, as requested. A release frees all of it.
template <class A>
class limited : public adaptor<A> {
    using adaptor<A>::mechanism_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit limited(std::size_t limit_bytes, Args&&... args)
        : adaptor<A>(std::forward<Args>(args)...), limit_bytes_(limit_bytes) {}

    /// Throws: std::bad_alloc where the request exceeds what is left of the budget; the mechanism is not
    /// asked then.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        if (bytes > limit_bytes_ - used_bytes_) {
            fail_allocation(bytes, alignment);
        }
        void* p = mechanism_.allocate(bytes, alignment);
        used_bytes_ += bytes;
        return p;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        mechanism_.deallocate(p, bytes, alignment);
        used_bytes_ -= bytes;
    }

    void release() noexcept
        requires local_allocator<std::remove_reference_t<A>>
    {
        mechanism_.release();
        used_bytes_ = 0;
    }

    void rewind() noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        mechanism_.rewind();
        used_bytes_ = 0;
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        return std::pair{mechanism_.mark(), used_bytes_};
    }

    template <class Position>
    void rollback(Position to) noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        mechanism_.rollback(to.first);
        used_bytes_ = to.second;
    }

    [[nodiscard]] std::size_t limit_bytes() const noexcept { return limit_bytes_; }
    [[nodiscard]] std::size_t used_bytes() const noexcept { return used_bytes_; }

private:
    std::size_t limit_bytes_;
    std::size_t used_bytes_ = 0;
};

} // namespace mallard
