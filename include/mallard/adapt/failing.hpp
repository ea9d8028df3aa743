/// Fails on purpose, to test a program that runs out of memory.
///
///     for (std::size_t k = 1;; ++k) {
///         mallard::failing<mallard::new_delete> source{{.at = k, .for_ever = true}};
///         ... run the program on `source`; it must survive ...
///         if (!source.failed()) { break; }     // fewer than k requests: every failure was tried
///     }
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/impl/adapt/operations.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// Requests are for a block, for a burst of them, for the growth of one, or for a reserve.
struct failure_plan {
    std::size_t at = 1;    ///< the request that fails, counted from 1; 0 for none
    bool for_ever = false; ///< true if all requests after it fail too
};

}} // namespace mallard::MALLARD_MODE

namespace mallard::adapt { inline namespace MALLARD_MODE {

class failing_by_plan : public passing {
public:
    using passing::operator();

    void plan(failure_plan next) noexcept {
        plan_ = next;
        requests_ = 0;
        failed_ = false;
    }
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    [[nodiscard]] std::size_t requests() const noexcept { return requests_; }

    template <class Mechanism, request Operation, class Call>
    auto operator()(Mechanism&, const Operation& operation, Call call) -> decltype(call(operation)) {
        if (should_fail(operation.as_allocation())) {
            return decltype(call(operation))();
        }
        return call(operation);
    }

    template <class Mechanism, class Call>
    bool operator()(Mechanism&, const resizing& r, Call call) {
        return !(r.new_bytes > r.old_bytes && should_fail({r.new_bytes, 1, true})) && call(r);
    }

private:
    /// Returns: true if the request is to fail quietly. A request that is to fail otherwise does not return.
    [[nodiscard]] bool should_fail(const allocation& a) {
        ++requests_;
        const bool fails =
            plan_.at != 0 && (requests_ == plan_.at || (plan_.for_ever && requests_ > plan_.at));
        failed_ = failed_ || fails;
        if (fails && !a.quiet) {
            core::fail_allocation(a.bytes, a.alignment);
        }
        return fails;
    }

    failure_plan plan_;
    std::size_t requests_ = 0;
    bool failed_ = false;
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// A request that fails by the plan throws std::bad_alloc, or returns null if it is quiet. It does not reach the
/// mechanism.
template <class A>
class failing : public adapt::adaptor<A, adapt::failing_by_plan> {
public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit failing(failure_plan plan, Args&&... args)
        : adapt::adaptor<A, adapt::failing_by_plan>(std::forward<Args>(args)...) {
        this->hook_.plan(plan);
    }

    /// Returns: true if a request has failed.
    [[nodiscard]] bool failed() const noexcept { return this->hook_.failed(); }

    /// Returns: the number of requests made so far.
    [[nodiscard]] std::size_t requests() const noexcept { return this->hook_.requests(); }

    /// Effects: replaces the plan, and counts requests from 0 again.
    void plan(failure_plan next) noexcept { this->hook_.plan(next); }
};

}} // namespace mallard::MALLARD_MODE
