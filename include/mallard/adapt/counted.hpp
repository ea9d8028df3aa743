/// Counts what passes through: how much a program asks of an allocator, or an allocator of its upstream.
#pragma once

#include <mallard/adapt/metered.hpp>
#include <mallard/core/build_mode.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::inline MALLARD_MODE {

/// Bytes are as requested, without what the mechanism adds; where it is expandable, they are those that its
/// blocks have (adapt/metered.hpp).
struct allocation_counts {
    std::size_t allocations = 0;
    std::size_t deallocations = 0;
    std::size_t allocated_bytes = 0; ///< since construction
    std::size_t bytes_in_use = 0;    ///< allocated and neither deallocated nor released
    std::size_t peak_bytes = 0;      ///< the most that bytes_in_use ever was
    std::size_t failures = 0; ///< requests that ended in an exception, or in null where that was asked for
    std::size_t spills = 0;   ///< chunks that the mechanism took because its initial buffer was full
    std::size_t upstream_calls = 0; ///< requests that the mechanism made of its upstream

    std::size_t grown_forward = 0;  ///< expansions that were done in place, the ways apart; fresh blocks are
    std::size_t grown_backward = 0; ///< allocations
    std::size_t shrunk = 0;         ///< calls of shrink that gave something back
    std::size_t bursts = 0;         ///< requests for many blocks, which are counted among allocations too
    std::size_t bursts_back = 0;    ///< many blocks that came back at once, counted among deallocations too
};

/// Around an allocator it counts the program's requests; as an upstream it counts the allocator's.
template <class A>
class counted : public adapt::metered<A> {
    using adapt::metered<A>::mechanism_;
    using adapt::metered<A>::bytes_in_use_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit counted(Args&&... args) : adapt::metered<A>(std::forward<Args>(args)...) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        // Counted as a failure until it has come back.
        ++counts_.failures;
        void* p = mechanism_.allocate(bytes, alignment);
        --counts_.failures;
        count(1, this->bytes_of(p, bytes));
        return p;
    }

    /// Returns: null where the mechanism cannot serve the request.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(std::remove_reference_t<A>& mechanism) { mechanism.try_allocate(bytes, alignment); }
    {
        void* p = mechanism_.try_allocate(bytes, alignment);
        if (p != nullptr) {
            count(1, this->bytes_of(p, bytes));
        } else {
            ++counts_.failures;
        }
        return p;
    }

    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment)
        requires expandable<std::remove_reference_t<A>>
    {
        ++counts_.failures;
        const sized_block block = mechanism_.allocate_at_least(bytes, alignment);
        --counts_.failures;
        count(1, block.bytes);
        return block;
    }

    /// Effects, returns, throws: as the mechanism. That a block could not grow in place is no failure.
    expansion_result expand(void* p, const expansion_request& request)
        requires expandable<std::remove_reference_t<A>>
    {
        const std::size_t before = this->bytes_of(p);
        ++counts_.failures;
        const expansion_result done = mechanism_.expand(p, request);
        --counts_.failures;
        count(done, before);
        return done;
    }

    expansion_result try_expand(void* p, const expansion_request& request) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        const std::size_t before = this->bytes_of(p);
        const expansion_result done = mechanism_.try_expand(p, request);
        counts_.failures += done.p == nullptr && includes(request.may, expansion::fresh) ? 1U : 0U;
        count(done, before);
        return done;
    }

    std::size_t shrink(void* p, std::size_t bytes) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        const std::size_t before = bytes_in_use_;
        const std::size_t left = adapt::metered<A>::shrink(p, bytes);
        counts_.shrunk += bytes_in_use_ != before ? 1U : 0U;
        return left;
    }

    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t n)
        requires burst_allocator<std::remove_reference_t<A>>
    {
        ++counts_.failures;
        block_chain blocks = mechanism_.allocate_many(bytes, alignment, n);
        count_burst(blocks, bytes);
        return blocks;
    }

    [[nodiscard]] block_chain allocate_many(std::span<const std::size_t> sizes,
                                            std::size_t alignment = fundamental_alignment)
        requires mixed_burst_allocator<std::remove_reference_t<A>> && expandable<std::remove_reference_t<A>>
    {
        ++counts_.failures;
        block_chain blocks = mechanism_.allocate_many(sizes, alignment);
        count_burst(blocks, 0);
        return blocks;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        adapt::metered<A>::deallocate(p, bytes, alignment);
        ++counts_.deallocations;
    }

    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept
        requires burst_allocator<std::remove_reference_t<A>>
    {
        counts_.deallocations += blocks.size();
        ++counts_.bursts_back;
        adapt::metered<A>::deallocate_many(std::move(blocks), bytes, alignment);
    }

    void deallocate_many(block_chain&& blocks) noexcept
        requires mixed_burst_allocator<std::remove_reference_t<A>> && expandable<std::remove_reference_t<A>>
    {
        counts_.deallocations += blocks.size();
        ++counts_.bursts_back;
        adapt::metered<A>::deallocate_many(std::move(blocks));
    }

    /// Returns: the counts since construction. Spills and upstream calls are those that the mechanism itself
    /// tells of.
    [[nodiscard]] allocation_counts counts() const noexcept {
        allocation_counts c = counts_;
        c.bytes_in_use = bytes_in_use_;
        if constexpr (requires { mechanism_.stats().spills; }) {
            const auto told = mechanism_.stats();
            c.spills = told.spills;
            c.upstream_calls = told.upstream_calls;
        }
        return c;
    }

private:
    void count(std::size_t blocks, std::size_t bytes) noexcept {
        counts_.allocations += blocks;
        counts_.allocated_bytes += bytes;
        bytes_in_use_ += bytes;
        counts_.peak_bytes = std::max(counts_.peak_bytes, bytes_in_use_);
    }

    void count_burst(const block_chain& blocks, std::size_t bytes) noexcept {
        --counts_.failures;
        ++counts_.bursts;
        count(blocks.size(), this->bytes_of(blocks, bytes));
    }

    void count(const expansion_result& done, std::size_t before) noexcept {
        if (done.p == nullptr) {
            return;
        }
        if (done.how == expansion::fresh) {
            count(1, done.bytes);
            return;
        }
        ++(done.how == expansion::forward ? counts_.grown_forward : counts_.grown_backward);
        counts_.allocated_bytes += done.bytes - before;
        this->follow(done, before);
        counts_.peak_bytes = std::max(counts_.peak_bytes, bytes_in_use_);
    }

    allocation_counts counts_;
};

} // namespace mallard::inline MALLARD_MODE
