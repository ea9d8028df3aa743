/// Requests that an upstream may well refuse: without an exception, for callers that have another way; and with the
/// upstream's own exception, if no size holds the request and the caller's metadata.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>

#include <cstddef>
#include <type_traits>
#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace mallard::core { inline namespace MALLARD_MODE {

/// True if a request to the upstream can fail and the program go on: by an exception, or by try_allocate(). The latter
/// does not ask an upstream of its own that has none, so that one decides.
template <class U>
inline constexpr bool fails_recoverably = [] {
#ifdef __cpp_exceptions
    return true;
#else
    if constexpr (!requires(U& u, std::size_t n) { u.try_allocate(n, n); }) {
        return false;
    } else if constexpr (requires { typename U::upstream_type; }) {
        return fails_recoverably<typename U::upstream_type>;
    } else if constexpr (requires { typename U::arena_type::upstream_type; }) {
        return fails_recoverably<typename U::arena_type::upstream_type>;
    } else {
        return true;
    }
#endif
}();

/// Returns: the result of `request()`; null if that throws. A forced unwinding, which pthread_cancel() and pthread_exit()
/// begin, goes on to the end of the thread: the program would end if it were caught. Only libstdc++ has a name for it.
template <class Request>
[[nodiscard]] void* null_if_throws(Request request) {
#ifdef __cpp_exceptions
    try {
        return request();
#ifdef __GLIBCXX__
    } catch (const abi::__forced_unwind&) {
        throw;
#endif
    } catch (...) {
        return nullptr;
    }
#else
    return request();
#endif
}

/// True if a failure of the upstream is a null pointer.
template <class U>
inline constexpr bool fails_without_exception = requires(U& u, std::size_t n) {
    { u.try_allocate(n, n) } noexcept;
};

/// True if no request to the upstream unwinds the stack, that of its own upstream included. A try_allocate() in front of
/// an upstream that may keeps a cancellation pending, and so is not what an allocate() asks.
template <class U>
inline constexpr bool never_unwinds = [] {
    if constexpr (!fails_without_exception<U>) {
        return false;
    } else if constexpr (requires { typename U::upstream_type; }) {
        return never_unwinds<typename U::upstream_type>;
    } else if constexpr (requires { typename U::arena_type::upstream_type; }) {
        return never_unwinds<typename U::arena_type::upstream_type>;
    } else {
        return true;
    }
}();

/// Returns: the result of `source.allocate(bytes, alignment)`; null if that throws. The out-of-memory handler is
/// not called. In a program without exceptions, an upstream without try_allocate() is not asked, and the result is null.
/// A cancellation in the upstream ends the thread.
template <upstream Upstream>
[[nodiscard]] void*
ask_quietly(Upstream&& source, std::size_t bytes,
            std::size_t alignment) noexcept(never_unwinds<std::remove_reference_t<Upstream>>) {
    using source_type = std::remove_reference_t<Upstream>;
#ifdef __cpp_exceptions
    if constexpr (!never_unwinds<source_type>) {
        const quiet_failures quiet;
        return null_if_throws([&]() -> void* { return source.allocate(bytes, alignment); });
    } else {
        return source.try_allocate(bytes, alignment);
    }
#else
    if constexpr (requires { source.try_allocate(bytes, alignment); }) {
        return source.try_allocate(bytes, alignment);
    } else if constexpr (!fails_recoverably<source_type>) {
        return nullptr;
    } else {
        return source.allocate(bytes, alignment);
    }
#endif
}

/// Returns: the result of ask_quietly(), for a function that is noexcept: a cancellation in the upstream stays pending.
template <upstream Upstream>
[[nodiscard]] void* ask_without_unwinding(Upstream&& source, std::size_t bytes,
                                          std::size_t alignment) noexcept {
    if constexpr (fails_without_exception<std::remove_reference_t<Upstream>>) {
        return source.try_allocate(bytes, alignment);
    } else {
        const cancellation_disabled meanwhile;
        return ask_quietly(source, bytes, alignment);
    }
}

/// An upstream as the slow path of an allocator sees it that has another way, or that is a try_allocate(): its allocate()
/// returns null where that of `Upstream` throws. A cancellation in the upstream ends the thread if `Unwinds` is true.
template <upstream Upstream, bool Unwinds>
class quiet_source {
public:
    explicit quiet_source(const upstream_handle<Upstream>& source) noexcept : source_(source) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept(!Unwinds) {
        if constexpr (Unwinds) {
            return ask_quietly(source_.get(), bytes, alignment);
        } else {
            return ask_without_unwinding(source_.get(), bytes, alignment);
        }
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        give_back(source_.get(), p, bytes, alignment);
    }

private:
    [[MALLARD_NO_UNIQUE_ADDRESS]] upstream_handle<Upstream> source_;
};

template <class Source>
inline constexpr bool is_quiet = false;
template <class Upstream, bool Unwinds>
inline constexpr bool is_quiet<quiet_source<Upstream, Unwinds>> = true;

/// Returns: the upstream, or the upstream as a quiet source for a function that is noexcept.
template <bool Quiet, upstream Upstream>
[[nodiscard]] decltype(auto) source_from(const upstream_handle<Upstream>& handle) noexcept {
    if constexpr (Quiet) {
        return quiet_source<Upstream, false>(handle);
    } else {
        return handle.get();
    }
}

/// Effects: fails as `source` fails for a request that is too large: asks it for `bytes`, or for as many bytes as
/// `alignment` if that is more.
/// Requires: no size holds the request and the caller's metadata.
/// Throws: the exceptions of `source`; std::bad_alloc if it grants the request.
template <upstream Upstream>
[[noreturn]] void fail_as_upstream(Upstream&& source, std::size_t bytes, std::size_t alignment) {
    const volatile std::size_t too_many_bytes = core::max(bytes, alignment); // compilers warn of a constant
    void* const p = source.allocate(too_many_bytes, alignment);
    source.deallocate(p, too_many_bytes, alignment);
    fail_allocation(bytes, alignment);
}

}} // namespace mallard::core::MALLARD_MODE
