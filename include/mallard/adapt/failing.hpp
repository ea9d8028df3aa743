/// Fails on purpose, to test what a program does when memory runs out.
///
///     for (std::size_t k = 1;; ++k) {
///         mallard::failing<mallard::new_delete> source{{.at = k, .for_ever = true}};
///         ... run the program on `source`; it must survive ...
///         if (!source.failed()) { break; }     // fewer than k requests: every failure was tried
///     }
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/failure.hpp>

namespace mallard {

struct failure_plan {
    std::size_t at = 1;    ///< the request that fails, counted from 1; 0 for none
    bool for_ever = false; ///< whether all requests after it fail too
};

template <class A>
class failing : public adaptor<A> {
    using adaptor<A>::mechanism_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit failing(failure_plan plan, Args&&... args)
        : adaptor<A>(std::forward<Args>(args)...), plan_(plan) {}

    /// Throws: std::bad_alloc where the plan says so; the mechanism is not asked then.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        ++requests_;
        if (plan_.at != 0 && (requests_ == plan_.at || (plan_.for_ever && requests_ > plan_.at))) {
            failed_ = true;
            fail_allocation(bytes, alignment);
        }
        return mechanism_.allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        mechanism_.deallocate(p, bytes, alignment);
    }

    /// Returns: whether any request has failed.
    [[nodiscard]] bool failed() const noexcept { return failed_; }

    /// Returns: the number of requests made so far.
    [[nodiscard]] std::size_t requests() const noexcept { return requests_; }

    /// Effects: begins anew with another plan.
    void plan(failure_plan next) noexcept {
        plan_ = next;
        requests_ = 0;
        failed_ = false;
    }

private:
    failure_plan plan_;
    std::size_t requests_ = 0;
    bool failed_ = false;
};

} // namespace mallard
