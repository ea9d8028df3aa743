/// A budget of bytes for a subsystem. Requests beyond it are refused.
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/adapt/metered.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/core/utility.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::adapt { inline namespace MALLARD_MODE {

template <bool Shared>
class limiting : public metered<Shared> {
    using base = metered<Shared>;
    using base::block_address;
    using base::counted_bytes;

public:
    using base::operator();

    constexpr void limit(std::size_t bytes) noexcept { limit_bytes_ = bytes; }
    [[nodiscard]] std::size_t limit_bytes() const noexcept { return limit_bytes_; }

    template <class Mechanism, class Call>
    auto operator()(Mechanism& m, const allocation& a, Call call) -> decltype(call(a)) {
        reservation reserved(bytes_in_use_, a.bytes, limit_bytes_);
        if (!reserved) {
            return refuse<decltype(call(a))>(a.bytes, a.alignment, a.quiet);
        }
        const auto block = call(a);
        if (block_address(block) != nullptr) {
            reserved.became(counted_bytes(m, block, a.bytes));
        }
        return block;
    }

    template <class Mechanism, class Call>
    block_chain operator()(Mechanism& m, const burst& b, Call call) {
        if (b.bytes != 0 && b.count > limit_bytes_ / b.bytes) {
            core::fail_allocation(b.bytes, b.alignment);
        }
        reservation reserved(bytes_in_use_, b.count * b.bytes, limit_bytes_);
        if (!reserved) {
            core::fail_allocation(b.bytes, b.alignment);
        }
        block_chain blocks = call(b);
        reserved.became(counted_bytes(m, blocks, b.bytes));
        return blocks;
    }

    template <class Mechanism, class Call>
    block_chain operator()(Mechanism& m, const mixed_burst& b, Call call) {
        std::size_t sum = 0;
        for (const std::size_t bytes : b.sizes) {
            if (bytes > limit_bytes_ - sum) {
                core::fail_allocation(bytes, b.alignment);
            }
            sum += bytes;
        }
        reservation reserved(bytes_in_use_, sum, limit_bytes_);
        if (!reserved) {
            core::fail_allocation(sum, b.alignment);
        }
        block_chain blocks = call(b);
        reserved.became(counted_bytes(m, blocks, 0));
        return blocks;
    }

    /// A block that grows in place needs the added bytes, a fresh block all of its bytes. The preferred
    /// bytes are limited to the remaining budget.
    template <class Mechanism, class Call>
    expansion_result operator()(Mechanism& m, const growth& g, Call call) {
        if (g.p != nullptr) {
            const std::size_t old_bytes = counted_bytes(m, g.p, 0);
            growth in_place = g;
            in_place.quiet = true;
            if (const expansion_result done = grow(in_place, expansion::in_place, old_bytes, call);
                done.p != nullptr) {
                return done;
            }
        }
        if (!includes(g.request.allowed, expansion::fresh)) {
            return {};
        }
        return grow(g, expansion::fresh, 0, call);
    }

    template <class Mechanism, class Call>
    bool operator()(Mechanism&, const resizing& r, Call call) {
        reservation reserved(bytes_in_use_, core::max(r.new_bytes, r.old_bytes) - r.old_bytes, limit_bytes_);
        if (!reserved || !call(r)) {
            return false;
        }
        reserved.became(r.new_bytes - r.old_bytes);
        return true;
    }

    /// Effects: none if the bytes of the other mechanism's blocks exceed the remaining budget.
    template <class Call>
    bool adopt(limiting& other, Call call) noexcept {
        const std::size_t added = this == &other ? 0 : other.bytes_in_use();
        reservation reserved(bytes_in_use_, added, limit_bytes_);
        if (!reserved || !call()) {
            return false;
        }
        reserved.became(added);
        other.bytes_in_use_ -= added;
        return true;
    }

private:
    using base::bytes_in_use_;

    /// A part of the budget that is taken before the mechanism is asked, and goes back if it has no block.
    class reservation {
    public:
        reservation(tally<Shared>& in_use, std::size_t bytes, std::size_t limit_bytes) noexcept
            : reservation(in_use, bytes, bytes, limit_bytes) {}

        /// Effects: takes `most_bytes`, or less if the budget has no more, but not less than `least_bytes`.
        reservation(tally<Shared>& in_use, std::size_t least_bytes, std::size_t most_bytes,
                    std::size_t limit_bytes) noexcept
            : bytes_(most_bytes),
              in_use_(in_use.add_within(least_bytes, bytes_, limit_bytes) ? &in_use : nullptr) {}
        reservation(const reservation&) = delete;
        reservation& operator=(const reservation&) = delete;
        ~reservation() { became(0); }

        explicit operator bool() const noexcept { return in_use_ != nullptr; }
        [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

        /// Effects: makes it `bytes` bytes in use, of which none go back any more.
        void became(std::size_t bytes) noexcept {
            if (in_use_ != nullptr) {
                *in_use_ += bytes - bytes_;
                in_use_ = nullptr;
            }
        }

    private:
        std::size_t bytes_;
        tally<Shared>* in_use_;
    };

    template <class Result>
    static Result refuse(std::size_t bytes, std::size_t alignment, bool quiet) {
        if (!quiet) {
            core::fail_allocation(bytes, alignment);
        }
        return {};
    }

    /// Effects: grows by one of the ways `allowed` a block of which `old_bytes` bytes are in use and stay so.
    template <class Call>
    expansion_result grow(growth g, expansion allowed, std::size_t old_bytes, Call call) {
        const std::size_t least_bytes = core::max(g.request.least_bytes, old_bytes) - old_bytes;
        const std::size_t most_bytes = core::max(g.request.preferred_bytes, old_bytes) - old_bytes;
        reservation reserved(bytes_in_use_, least_bytes, core::max(least_bytes, most_bytes), limit_bytes_);
        if (!reserved) {
            return refuse<expansion_result>(g.request.least_bytes, g.request.alignment, g.quiet);
        }
        g.request.preferred_bytes = core::min(g.request.preferred_bytes, old_bytes + reserved.bytes());
        g.request.allowed = g.request.allowed & allowed;
        const expansion_result done = call(g);
        if (done.p != nullptr) {
            reserved.became(done.bytes - old_bytes);
        }
        return done;
    }

    std::size_t limit_bytes_ = 0;
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// The budget is for the bytes in use, as requested. A request that exceeds the remaining budget fails, and the
/// mechanism is not called. A release frees the whole budget. If the mechanism is expandable, all bytes of its
/// blocks are in use (adapt/metered.hpp). A request is compared with the budget, and its rounding counts after
/// it, so the last request may exceed the budget by its rounding. A rollback frees the budget of the blocks since its
/// mark; if it ends blocks, it may take back that of older ones that were deallocated since (adapt/metered.hpp).
/// adopt() moves the bytes in use from one budget to the other, and returns false if they exceed what remains of it.
/// Thread-safe if the mechanism is: threads share one budget.
template <class A>
class limited : public adapt::adaptor<A, adapt::limiting<thread_safe<std::remove_reference_t<A>>>> {
    using base = adapt::adaptor<A, adapt::limiting<thread_safe<std::remove_reference_t<A>>>>;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit constexpr limited(std::size_t limit_bytes, Args&&... args) : base(std::forward<Args>(args)...) {
        this->hook_.limit(limit_bytes);
    }

    [[nodiscard]] std::size_t limit_bytes() const noexcept { return this->hook_.limit_bytes(); }

    /// Returns: the allocated bytes that were neither deallocated nor released.
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return this->hook_.bytes_in_use(); }
};

template <class A>
inline constexpr bool thread_safe<limited<A>> = thread_safe<std::remove_reference_t<A>>;

}} // namespace mallard::MALLARD_MODE
