/// Fails on purpose, to test what a program does when memory runs out.
///
///     for (std::size_t k = 1;; ++k) {
///         mallard::failing<mallard::new_delete> source{{.at = k, .for_ever = true}};
///         ... run the program on `source`; it must survive ...
///         if (!source.failed()) { break; }     // fewer than k requests: every failure was tried
///     }
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::inline MALLARD_MODE {

/// Requests are for a block, for a burst of them, or for the growth of one.
struct failure_plan {
    std::size_t at = 1;    ///< the request that fails, counted from 1; 0 for none
    bool for_ever = false; ///< whether all requests after it fail too
};

template <class A>
class failing : public adapt::adaptor<A> {
    using adapt::adaptor<A>::mechanism_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit failing(failure_plan plan, Args&&... args)
        : adapt::adaptor<A>(std::forward<Args>(args)...), plan_(plan) {}

    /// Throws: std::bad_alloc where the plan says so; the mechanism is not asked then.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        count_request(bytes, alignment);
        return mechanism_.allocate(bytes, alignment);
    }

    /// Returns: null where the plan says so.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(std::remove_reference_t<A>& mechanism) { mechanism.try_allocate(bytes, alignment); }
    {
        return fails_now() ? nullptr : mechanism_.try_allocate(bytes, alignment);
    }

    /// Throws: as allocate().
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment)
        requires expandable<std::remove_reference_t<A>>
    {
        count_request(bytes, alignment);
        return mechanism_.allocate_at_least(bytes, alignment);
    }

    /// Returns: a null result where the plan says so and no fresh block was allowed.
    /// Throws: std::bad_alloc where the plan says so and one was.
    expansion_result expand(void* p, const expansion_request& request)
        requires expandable<std::remove_reference_t<A>>
    {
        if (includes(request.may, expansion::fresh)) {
            count_request(request.least_bytes, request.alignment);
        } else if (fails_now()) {
            return {};
        }
        return mechanism_.expand(p, request);
    }

    /// Returns: a null result where the plan says so.
    expansion_result try_expand(void* p, const expansion_request& request) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        return fails_now() ? expansion_result{} : mechanism_.try_expand(p, request);
    }

    std::size_t shrink(void* p, std::size_t bytes) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        return mechanism_.shrink(p, bytes);
    }

    /// Throws: as allocate(); the burst is one request.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires burst_allocator<std::remove_reference_t<A>>
    {
        count_request(bytes, alignment);
        return mechanism_.allocate_many(bytes, alignment, count);
    }

    /// Throws: as the other.
    [[nodiscard]] block_chain allocate_many(std::span<const std::size_t> sizes,
                                            std::size_t alignment = fundamental_alignment)
        requires mixed_burst_allocator<std::remove_reference_t<A>>
    {
        count_request(sizes.empty() ? 0 : sizes.front(), alignment);
        return mechanism_.allocate_many(sizes, alignment);
    }

    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept
        requires burst_allocator<std::remove_reference_t<A>>
    {
        mechanism_.deallocate_many(std::move(blocks), bytes, alignment);
    }

    void deallocate_many(block_chain&& blocks) noexcept
        requires mixed_burst_allocator<std::remove_reference_t<A>>
    {
        mechanism_.deallocate_many(std::move(blocks));
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
    [[nodiscard]] bool fails_now() noexcept {
        ++requests_;
        const bool fails =
            plan_.at != 0 && (requests_ == plan_.at || (plan_.for_ever && requests_ > plan_.at));
        failed_ = failed_ || fails;
        return fails;
    }

    void count_request(std::size_t bytes, std::size_t alignment) {
        if (fails_now()) {
            core::fail_allocation(bytes, alignment);
        }
    }

    failure_plan plan_;
    std::size_t requests_ = 0;
    bool failed_ = false;
};

} // namespace mallard::inline MALLARD_MODE
