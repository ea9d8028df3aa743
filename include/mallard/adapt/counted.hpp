/// Counts what passes through: how much a program asks of an allocator, or an allocator of its upstream.
#pragma once

#include <mallard/adapt/adaptor.hpp>

#include <algorithm>

namespace mallard {

/// Bytes are as requested, without what the mechanism adds.
struct allocation_counts {
    std::size_t allocations = 0;
    std::size_t deallocations = 0;
    std::size_t allocated_bytes = 0; ///< since construction
    std::size_t bytes_in_use = 0;    ///< allocated and neither deallocated nor released
    std::size_t peak_bytes = 0;      ///< the most that bytes_in_use ever was
    std::size_t failures = 0;        ///< requests that ended in an exception
    std::size_t spills = 0;          ///< chunks that the mechanism took because its initial buffer was full
    std::size_t upstream_calls = 0;  ///< requests that the mechanism made of its upstream
};

/// Around an allocator it counts the program's requests; as an upstream it counts the allocator's.
template <class A>
class counted : public adaptor<A> {
    using adaptor<A>::mechanism_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit counted(Args&&... args) : adaptor<A>(std::forward<Args>(args)...) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        // Counted as a failure until it has come back.
        ++counts_.failures;
        void* p = mechanism_.allocate(bytes, alignment);
        --counts_.failures;
        ++counts_.allocations;
        counts_.allocated_bytes += bytes;
        counts_.bytes_in_use += bytes;
        counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.bytes_in_use);
        return p;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        mechanism_.deallocate(p, bytes, alignment);
        ++counts_.deallocations;
        counts_.bytes_in_use -= bytes;
    }

    /// Effects: as the mechanism's; nothing is in use afterwards.
    void release() noexcept
        requires local_allocator<std::remove_reference_t<A>>
    {
        mechanism_.release();
        counts_.bytes_in_use = 0;
    }

    void rewind() noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        mechanism_.rewind();
        counts_.bytes_in_use = 0;
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        return std::pair{mechanism_.mark(), counts_.bytes_in_use};
    }

    template <class Position>
    void rollback(Position to) noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        mechanism_.rollback(to.first);
        counts_.bytes_in_use = to.second;
    }

    /// Returns: the counts since construction. Spills and upstream calls are those that the mechanism itself
    /// tells of.
    [[nodiscard]] allocation_counts counts() const noexcept {
        allocation_counts c = counts_;
        if constexpr (requires { mechanism_.stats().spills; }) {
            const auto told = mechanism_.stats();
            c.spills = told.spills;
            c.upstream_calls = told.upstream_calls;
        }
        return c;
    }

private:
    allocation_counts counts_;
};

} // namespace mallard
