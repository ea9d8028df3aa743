/// Counts the requests of a program to an allocator, or of an allocator to its upstream.
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/adapt/metered.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// Bytes are as requested, without overhead of the mechanism; if it is expandable, they are those that its blocks
/// have (adapt/metered.hpp).
struct allocation_counts {
    std::size_t allocations = 0;
    std::size_t deallocations = 0;
    std::size_t allocated_bytes = 0; ///< since construction
    std::size_t bytes_in_use = 0;    ///< allocated and neither deallocated nor released
    std::size_t peak_bytes = 0;      ///< the most that bytes_in_use ever was
    std::size_t failures = 0;        ///< requests that ended in an exception, or, of quiet requests, in null
    std::size_t spills = 0;          ///< chunks that the mechanism took because its initial buffer was full
    std::size_t upstream_calls = 0;  ///< requests that the mechanism made of its upstream

    std::size_t grown_forward = 0;  ///< expansions in place, forward
    std::size_t grown_backward = 0; ///< expansions in place, backward; fresh blocks count as allocations
    std::size_t shrunk = 0;         ///< calls of shrink that gave something back
    std::size_t bursts = 0;         ///< requests for many blocks, which are counted among allocations too
    std::size_t bursts_back = 0;    ///< many blocks that came back at once, counted among deallocations too
};

}} // namespace mallard::MALLARD_MODE

namespace mallard::adapt { inline namespace MALLARD_MODE {

template <bool Shared>
class counting : public metered<Shared> {
    using base = metered<Shared>;
    using base::block_address;
    using base::counted_bytes;
    using base::follow;

public:
    using base::operator();

    [[nodiscard]] allocation_counts counts() const noexcept {
        return {.allocations = counts_.allocations,
                .deallocations = counts_.deallocations,
                .allocated_bytes = counts_.allocated_bytes,
                .bytes_in_use = bytes_in_use_,
                .peak_bytes = counts_.peak_bytes,
                .failures = counts_.failures,
                .grown_forward = counts_.grown_forward,
                .grown_backward = counts_.grown_backward,
                .shrunk = counts_.shrunk,
                .bursts = counts_.bursts,
                .bursts_back = counts_.bursts_back};
    }

    template <class Mechanism, class Call>
    auto operator()(Mechanism& m, const allocation& a, Call call) {
        ++counts_.failures; // until the block has come
        const auto block = call(a);
        if (block_address(block) != nullptr) {
            --counts_.failures;
            count(1, counted_bytes(m, block, a.bytes));
        }
        return block;
    }

    template <class Mechanism, class Call>
    block_chain operator()(Mechanism& m, const burst& b, Call call) {
        return count_burst(m, b.bytes, [&] { return call(b); });
    }

    template <class Mechanism, class Call>
    block_chain operator()(Mechanism& m, const mixed_burst& b, Call call) {
        return count_burst(m, 0, [&] { return call(b); });
    }

    /// A block that could not grow in place is not counted as a failure.
    template <class Mechanism, class Call>
    expansion_result operator()(Mechanism& m, const growth& g, Call call) {
        const std::size_t old_bytes = counted_bytes(m, g.p, 0);
        ++counts_.failures;
        const expansion_result done = call(g);
        if (done.p != nullptr || !includes(g.request.allowed, expansion::fresh)) {
            --counts_.failures;
        }
        count(done, old_bytes);
        return done;
    }

    template <class Mechanism, class Call>
    std::size_t operator()(Mechanism& m, const shrinking& s, Call call) {
        const std::size_t old_bytes = bytes_in_use_;
        const std::size_t remaining = base::operator()(m, s, call);
        counts_.shrunk += bytes_in_use_ != old_bytes ? 1U : 0U;
        return remaining;
    }

    template <class Mechanism, class Call>
    bool operator()(Mechanism&, const resizing& r, Call call) {
        const bool done = call(r);
        if (done && r.new_bytes > r.old_bytes) {
            count({.p = r.p, .bytes = r.new_bytes, .method = expansion::forward}, r.old_bytes);
        } else if (done) {
            bytes_in_use_ -= r.old_bytes - r.new_bytes;
            (r.new_bytes == 0 ? counts_.deallocations : counts_.shrunk) +=
                r.new_bytes != r.old_bytes ? 1U : 0U;
        }
        return done;
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const deallocation& d, Call call) {
        base::operator()(m, d, call);
        ++counts_.deallocations;
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const burst_return& b, Call call) {
        count_burst_back(b.blocks);
        base::operator()(m, b, call);
    }

    template <class Mechanism, class Call>
    void operator()(Mechanism& m, const mixed_return& b, Call call) {
        count_burst_back(b.blocks);
        base::operator()(m, b, call);
    }

    /// The allocations stay counted where they were made.
    template <class Call>
    bool adopt(counting& other, Call call) noexcept {
        const bool adopted = base::adopt(other, call);
        counts_.peak_bytes.raise_to(bytes_in_use_);
        return adopted;
    }

private:
    using base::bytes_in_use_;

    /// As in allocation_counts.
    struct tallies {
        tally<Shared> allocations;
        tally<Shared> deallocations;
        tally<Shared> allocated_bytes;
        tally<Shared> peak_bytes;
        tally<Shared> failures;
        tally<Shared> grown_forward;
        tally<Shared> grown_backward;
        tally<Shared> shrunk;
        tally<Shared> bursts;
        tally<Shared> bursts_back;
    };

    void count(std::size_t blocks, std::size_t bytes) noexcept {
        counts_.allocations += blocks;
        counts_.allocated_bytes += bytes;
        counts_.peak_bytes.raise_to(bytes_in_use_ += bytes);
    }

    template <class Mechanism, class Call>
    block_chain count_burst(Mechanism& m, std::size_t bytes, Call call) {
        ++counts_.failures;
        block_chain blocks = call();
        --counts_.failures;
        ++counts_.bursts;
        count(blocks.size(), counted_bytes(m, blocks, bytes));
        return blocks;
    }

    void count_burst_back(const block_chain& blocks) noexcept {
        counts_.deallocations += blocks.size();
        ++counts_.bursts_back;
    }

    void count(const expansion_result& done, std::size_t old_bytes) noexcept {
        if (done.p == nullptr) {
            return;
        }
        if (done.method == expansion::fresh) {
            count(1, done.bytes);
            return;
        }
        ++(done.method == expansion::forward ? counts_.grown_forward : counts_.grown_backward);
        counts_.allocated_bytes += done.bytes - old_bytes;
        follow(done, old_bytes);
        counts_.peak_bytes.raise_to(bytes_in_use_);
    }

    tallies counts_;
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// Around an allocator it counts the program's requests; as an upstream it counts the allocator's. The bytes in use after a
/// rollback are exact unless it ends blocks and older ones were deallocated since the mark (adapt/metered.hpp). Thread-safe
/// if the mechanism is: counts() is exact while no thread calls it, and may count a request that is under way as a failure.
template <class A>
class counted : public adapt::adaptor<A, adapt::counting<thread_safe<std::remove_reference_t<A>>>> {
    using base = adapt::adaptor<A, adapt::counting<thread_safe<std::remove_reference_t<A>>>>;

public:
    using base::base;

    /// Returns: the counts since construction. Spills and upstream calls come from the mechanism's own figures.
    [[nodiscard]] allocation_counts counts() const noexcept {
        allocation_counts c = this->hook_.counts();
        if constexpr (requires { this->mechanism().stats().spills; }) {
            const auto upstream_stats = this->mechanism().stats();
            c.spills = upstream_stats.spills;
            c.upstream_calls = upstream_stats.upstream_calls;
        }
        return c;
    }

    /// Returns: the allocated bytes that were neither deallocated nor released.
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return this->hook_.bytes_in_use(); }
};

template <class A>
inline constexpr bool thread_safe<counted<A>> = thread_safe<std::remove_reference_t<A>>;

}} // namespace mallard::MALLARD_MODE
