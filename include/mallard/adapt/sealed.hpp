/// Refuses every request once it is sealed: the proof that an allocator runs on the memory that it holds, without a call of
/// the system.
///
///     mallard::sealed<mallard::pages> source;
///     mallard::multipool pool(source);
///     ...                                     // warm up
///     source.seal();
///     ...                                     // what would reach the system fails, as if there were no memory
///     assert(source.calls_since_seal() == 0);
///
/// Data model: the mechanism, whether it is sealed, and the number of calls since.
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/adapt/metered.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/adapt/operations.hpp>

#include <cstddef>
#include <type_traits>

namespace mallard::adapt { inline namespace MALLARD_MODE {

template <class Operation>
inline constexpr bool gives_memory_back =
    std::is_same_v<Operation, deallocation> || std::is_same_v<Operation, burst_return> ||
    std::is_same_v<Operation, mixed_return> || std::is_same_v<Operation, shrinking> ||
    std::is_same_v<Operation, ending>;
template <class Position>
inline constexpr bool gives_memory_back<rolling_back<Position>> = true;

template <bool Shared>
class sealing : public passing {
public:
    using passing::operator();

    void seal() noexcept {
        calls_ = 0;
        sealed_ = 1;
    }
    void unseal() noexcept { sealed_ = 0; }
    [[nodiscard]] bool is_sealed() const noexcept { return sealed_ != 0; }
    [[nodiscard]] std::size_t calls() const noexcept { return calls_; }

    template <class Mechanism, request Operation, class Call>
    auto operator()(Mechanism&, const Operation& operation, Call call) -> decltype(call(operation)) {
        if (refuses(operation.as_allocation())) {
            return decltype(call(operation))();
        }
        return call(operation);
    }

    template <class Mechanism, class Call>
    bool operator()(Mechanism&, const resizing& r, Call call) {
        return !refuses({r.new_bytes, 1, true}) && call(r);
    }

    template <class Mechanism, class Operation, class Call>
        requires gives_memory_back<Operation>
    decltype(auto) operator()(Mechanism&, const Operation& operation, Call call) {
        calls_ += sealed_;
        return call(operation);
    }

private:
    /// Returns: true if a quiet request is refused. Another one that is refused does not return.
    [[nodiscard]] bool refuses(const allocation& a) {
        if (!is_sealed()) {
            return false;
        }
        ++calls_;
        if (!a.quiet) {
            core::fail_allocation(a.bytes, a.alignment);
        }
        return true;
    }

    tally<Shared> sealed_;
    tally<Shared> calls_;
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// A request to a sealed allocator throws std::bad_alloc, or returns null if it is quiet, and does not reach the mechanism; the
/// out-of-memory handler hears of it as of every failure. What gives memory back reaches it. Both count. Thread-safe if the
/// mechanism is: a call that another thread has begun may pass.
template <class A>
class sealed : public adapt::adaptor<A, adapt::sealing<thread_safe<std::remove_reference_t<A>>>> {
    using base = adapt::adaptor<A, adapt::sealing<thread_safe<std::remove_reference_t<A>>>>;

public:
    using base::base;

    /// Effects: refuses requests from now on, and counts calls from 0.
    void seal() noexcept { this->hook_.seal(); }

    /// Effects: lets requests through again, for the next warm-up or the end of the program.
    void unseal() noexcept { this->hook_.unseal(); }

    [[nodiscard]] bool is_sealed() const noexcept { return this->hook_.is_sealed(); }

    /// Returns: the requests that were refused, and the calls that gave memory back, while it was sealed the last time.
    [[nodiscard]] std::size_t calls_since_seal() const noexcept { return this->hook_.calls(); }
};

template <class A>
inline constexpr bool thread_safe<sealed<A>> = thread_safe<std::remove_reference_t<A>>;

}} // namespace mallard::MALLARD_MODE
