/// Calls a function before a request fails. It makes room, and the request is repeated.
///
///     mallard::retrying<mallard::limited<mallard::multipool<>>, cache_evictor> pool(evictor, budget_bytes);
///
///     struct cache_evictor {                        // or a lambda, or a function
///         cache& from;
///         bool operator()(std::size_t bytes, std::size_t alignment) noexcept { return from.evict(bytes); }
///     };
///
/// Data model: the mechanism, and the function. Each allocator has its own, where set_out_of_memory_handler() has one for the
/// process: that handler is called too, for a request that fails in the end.
///
/// Source: failure_callback_resource_adaptor of RAPIDS RMM.
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/adapt/operations.hpp>

#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace mallard::adapt { inline namespace MALLARD_MODE {

template <class OnFailure>
class retrying_by : public passing {
public:
    using passing::operator();

    void on_failure(OnFailure function) { on_failure_.emplace(std::move(function)); }

    template <class Mechanism, class Call>
    auto operator()(Mechanism& m, const allocation& a, Call call) -> decltype(call(a)) {
        const auto request = [&] { return call(a); };
        if (a.quiet) {
            return repeat_quiet(a.bytes, a.alignment, request);
        }
#ifndef __cpp_exceptions
        // Only a quiet request can be repeated, because another one that fails ends the program.
        if constexpr (core::fails_recoverably<Mechanism> && std::is_same_v<decltype(call(a)), void*>) {
            if (void* const block = repeat_quiet(a.bytes, a.alignment,
                                                 [&] { return m.try_allocate(a.bytes, a.alignment); })) {
                return block;
            }
        }
#endif
        static_cast<void>(m);
        return repeat(a.bytes, a.alignment, request);
    }

    template <class Mechanism, request Operation, class Call>
    auto operator()(Mechanism&, const Operation& operation, Call call) {
        const allocation first = operation.as_allocation();
        return repeat(first.bytes, first.alignment, [&] { return call(operation); });
    }

    /// A block that could not grow in place is not a failure.
    template <class Mechanism, class Call>
    expansion_result operator()(Mechanism&, const growth& g, Call call) {
        const auto request = [&] { return call(g); };
        if (!includes(g.request.allowed, expansion::fresh)) {
            return request();
        }
        return g.quiet ? repeat_quiet(g.request.least_bytes, g.request.alignment, request)
                       : repeat(g.request.least_bytes, g.request.alignment, request);
    }

private:
    static bool has_block(const void* p) noexcept { return p != nullptr; }
    static bool has_block(const sized_block& block) noexcept { return block.p != nullptr; }
    static bool has_block(const expansion_result& result) noexcept { return result.p != nullptr; }

    /// Returns: the result of `request()`, which is called again as long as it is null and the function makes room.
    template <class Request>
    auto repeat_quiet(std::size_t bytes, std::size_t alignment, Request request) noexcept {
        auto result = request();
        while (!has_block(result) && (*on_failure_)(bytes, alignment)) {
            result = request();
        }
        return result;
    }

    /// Returns: the result of `request()`, which is called again as long as it throws std::bad_alloc and the function makes
    /// room, and once more if the function does not, for the exception and the handler. A request that can never be served is
    /// not repeated.
    template <class Request>
    decltype(auto) repeat(std::size_t bytes, std::size_t alignment, Request request) {
#ifdef __cpp_exceptions
        do {
            const core::quiet_failures quiet;
            try {
                return request();
            } catch (const refused_request&) {
                break;
            } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): the function makes room
            }
        } while ((*on_failure_)(bytes, alignment));
#else
        static_cast<void>(bytes);
        static_cast<void>(alignment);
#endif
        return request();
    }

    std::optional<OnFailure> on_failure_;
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// A request for a block, for many, for the growth of one or for a reserve that finds no memory calls the function with its
/// bytes and alignment, in the thread of the request: for many blocks with those of the first one. The request is repeated if
/// the function returns true, and fails as the mechanism does if it returns false. A request that can never be served may
/// reach the function only if it is quiet. The mechanism is not in a call then, so that the function may use it: deallocate its
/// blocks, tidy() it. A function that allocates from it may be called within itself.
///
/// In a program without exceptions a request has another way than the end of the program only if the mechanism and all of its
/// upstreams have try_allocate(), and only if it is for one block.
///
/// Thread-safe if the mechanism is: threads call the function at once.
/// Requires: the function returns false in the end; otherwise a request may never return.
template <class A, class OnFailure = bool (*)(std::size_t bytes, std::size_t alignment) noexcept>
class retrying : public adapt::adaptor<A, adapt::retrying_by<OnFailure>> {
    static_assert(std::is_nothrow_invocable_r_v<bool, OnFailure&, std::size_t, std::size_t>,
                  "mallard: the function takes bytes and alignment, returns a bool, and is noexcept");
    using base = adapt::adaptor<A, adapt::retrying_by<OnFailure>>;

public:
    /// Effects: makes the mechanism of `args`.
    /// Requires: `on_failure` is not null.
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit retrying(OnFailure on_failure, Args&&... args) : base(std::forward<Args>(args)...) {
        this->hook_.on_failure(std::move(on_failure));
    }
};

template <class A, class OnFailure>
inline constexpr bool thread_safe<retrying<A, OnFailure>> = thread_safe<std::remove_reference_t<A>>;

}} // namespace mallard::MALLARD_MODE
