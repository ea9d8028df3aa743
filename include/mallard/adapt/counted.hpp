/// Counts what passes through: how much a program asks of an allocator, or an allocator of its upstream.
#pragma once

#include <mallard/adapt/metered.hpp>

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
class counted : public metered<A> {
    using metered<A>::mechanism_;
    using metered<A>::bytes_in_use_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit counted(Args&&... args) : metered<A>(std::forward<Args>(args)...) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        // Counted as a failure until it has come back.
        ++counts_.failures;
        void* p = mechanism_.allocate(bytes, alignment);
        --counts_.failures;
        ++counts_.allocations;
        counts_.allocated_bytes += bytes;
        bytes_in_use_ += bytes;
        counts_.peak_bytes = std::max(counts_.peak_bytes, bytes_in_use_);
        return p;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        mechanism_.deallocate(p, bytes, alignment);
        ++counts_.deallocations;
        bytes_in_use_ -= bytes;
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
    allocation_counts counts_;
};

} // namespace mallard
