/// Refuses requests beyond a budget: a subsystem that must not grow without bound.
#pragma once

#include <mallard/adapt/metered.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::inline MALLARD_MODE {

/// The budget is for the bytes in use, as requested. A release frees all of it. Where the mechanism is
/// expandable, the bytes that its blocks have are in use (adapt/metered.hpp): a request is compared as it
/// was made, and what the mechanism rounds up counts from then on, so the last one may exceed the budget by
/// that.
template <class A>
class limited : public adapt::metered<A> {
    using adapt::metered<A>::mechanism_;
    using adapt::metered<A>::bytes_in_use_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit limited(std::size_t limit_bytes, Args&&... args)
        : adapt::metered<A>(std::forward<Args>(args)...), limit_bytes_(limit_bytes) {}

    /// Throws: std::bad_alloc where the request exceeds what is left of the budget; the mechanism is not
    /// asked then.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        expect_left(bytes, alignment);
        void* p = mechanism_.allocate(bytes, alignment);
        bytes_in_use_ += this->bytes_of(p, bytes);
        return p;
    }

    /// Returns: null where allocate() throws.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(std::remove_reference_t<A>& mechanism) { mechanism.try_allocate(bytes, alignment); }
    {
        void* p = bytes <= left() ? mechanism_.try_allocate(bytes, alignment) : nullptr;
        bytes_in_use_ += p != nullptr ? this->bytes_of(p, bytes) : 0;
        return p;
    }

    /// Throws: as allocate().
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment)
        requires expandable<std::remove_reference_t<A>>
    {
        expect_left(bytes, alignment);
        const sized_block block = mechanism_.allocate_at_least(bytes, alignment);
        bytes_in_use_ += block.bytes;
        return block;
    }

    /// Effects, returns: as the mechanism, but prefers no more than is left of the budget: a block that
    /// grows in place needs what it grows by, a fresh one all of its bytes.
    /// Throws: std::bad_alloc where a fresh block was allowed and there is none, or too little is left for
    /// it.
    expansion_result expand(void* p, const expansion_request& request)
        requires expandable<std::remove_reference_t<A>>
    {
        const expansion_result in_place = expand_in_place(p, request);
        if (in_place.p != nullptr || !includes(request.may, expansion::fresh)) {
            return in_place;
        }
        expect_left(request.least_bytes, request.alignment);
        const expansion_result fresh = mechanism_.expand(p, within(left(), expansion::fresh, request));
        this->follow(fresh, 0);
        return fresh;
    }

    expansion_result try_expand(void* p, const expansion_request& request) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        const expansion_result in_place = expand_in_place(p, request);
        if (in_place.p != nullptr || !includes(request.may, expansion::fresh) ||
            request.least_bytes > left()) {
            return in_place;
        }
        const expansion_result fresh = mechanism_.try_expand(p, within(left(), expansion::fresh, request));
        if (fresh.p != nullptr) {
            this->follow(fresh, 0);
        }
        return fresh;
    }

    /// Throws: std::bad_alloc where all blocks together exceed what is left of the budget.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires burst_allocator<std::remove_reference_t<A>>
    {
        if (bytes != 0 && count > left() / bytes) {
            core::fail_allocation(bytes, alignment);
        }
        block_chain blocks = mechanism_.allocate_many(bytes, alignment, count);
        bytes_in_use_ += this->bytes_of(blocks, bytes);
        return blocks;
    }

    /// Throws: as the other.
    [[nodiscard]] block_chain allocate_many(std::span<const std::size_t> sizes,
                                            std::size_t alignment = fundamental_alignment)
        requires mixed_burst_allocator<std::remove_reference_t<A>> && expandable<std::remove_reference_t<A>>
    {
        std::size_t after = left();
        for (const std::size_t bytes : sizes) {
            if (bytes > after) {
                core::fail_allocation(bytes, alignment);
            }
            after -= bytes;
        }
        block_chain blocks = mechanism_.allocate_many(sizes, alignment);
        bytes_in_use_ += this->bytes_of(blocks);
        return blocks;
    }

    [[nodiscard]] std::size_t limit_bytes() const noexcept { return limit_bytes_; }

private:
    [[nodiscard]] std::size_t left() const noexcept {
        return limit_bytes_ - std::min(limit_bytes_, bytes_in_use_);
    }

    void expect_left(std::size_t bytes, std::size_t alignment) const {
        if (bytes > left()) {
            core::fail_allocation(bytes, alignment);
        }
    }

    [[nodiscard]] static expansion_request within(std::size_t most_bytes, expansion may,
                                                  expansion_request request) noexcept {
        request.preferred_bytes = std::min(request.preferred_bytes, most_bytes);
        request.may = request.may & may;
        return request;
    }

    [[nodiscard]] expansion_result expand_in_place(void* p, const expansion_request& request) noexcept {
        const std::size_t before = this->bytes_of(p);
        const std::size_t most_bytes = before + left();
        if (p == nullptr || request.least_bytes > most_bytes) {
            return {};
        }
        const expansion_result done =
            mechanism_.try_expand(p, within(most_bytes, expansion::in_place, request));
        if (done.p != nullptr) {
            this->follow(done, before);
        }
        return done;
    }

    std::size_t limit_bytes_;
};

} // namespace mallard::inline MALLARD_MODE
