/// Refuses requests beyond a budget: a subsystem that must not grow without bound.
#pragma once

#include <mallard/adapt/metered.hpp>
#include <mallard/core/failure.hpp>

namespace mallard {

/// The budget is for the bytes in use, as requested. A release frees all of it.
template <class A>
class limited : public metered<A> {
    using metered<A>::mechanism_;
    using metered<A>::bytes_in_use_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit limited(std::size_t limit_bytes, Args&&... args)
        : metered<A>(std::forward<Args>(args)...), limit_bytes_(limit_bytes) {}

    /// Throws: std::bad_alloc where the request exceeds what is left of the budget; the mechanism is not
    /// asked then.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        if (bytes > limit_bytes_ - bytes_in_use_) {
            fail_allocation(bytes, alignment);
        }
        void* p = mechanism_.allocate(bytes, alignment);
        bytes_in_use_ += bytes;
        return p;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        mechanism_.deallocate(p, bytes, alignment);
        bytes_in_use_ -= bytes;
    }

    [[nodiscard]] std::size_t limit_bytes() const noexcept { return limit_bytes_; }

private:
    std::size_t limit_bytes_;
};

} // namespace mallard
