/// Requests that an upstream may well refuse: without an exception, for callers that have another way; and with the
/// upstream's own exception, if no size holds the request and the caller's metadata.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>

#include <cstddef>
#include <type_traits>

namespace mallard::core::inline MALLARD_MODE {

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

/// Returns: the result of `source.allocate(bytes, alignment)`; null if that throws. The out-of-memory handler is
/// not called. In a program without exceptions, an upstream without try_allocate() is not asked, and the result is null.
template <upstream Upstream>
[[nodiscard]] void* ask_quietly(Upstream&& source, std::size_t bytes, std::size_t alignment) noexcept {
    const auto ask = [&]() -> void* {
        if constexpr (requires { source.try_allocate(bytes, alignment); }) {
            return source.try_allocate(bytes, alignment);
        } else if constexpr (!fails_recoverably<std::remove_reference_t<Upstream>>) {
            return nullptr;
        } else {
            return source.allocate(bytes, alignment);
        }
    };
#ifdef __cpp_exceptions
    constexpr bool never_throws = requires {
        { source.try_allocate(bytes, alignment) } noexcept;
    };
    if constexpr (!never_throws) {
        const unheard_failures quiet;
        try {
            return ask();
        } catch (...) {
            return nullptr;
        }
    } else {
        return ask();
    }
#else
    return ask();
#endif
}

/// An upstream as the slow path of a try_allocate() sees it: its allocate() returns null where that of `Upstream` throws.
template <upstream Upstream>
class quiet_source {
public:
    explicit quiet_source(const upstream_handle<Upstream>& source) noexcept : source_(source) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        return ask_quietly(source_.get(), bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        source_.get().deallocate(p, bytes, alignment);
    }

private:
    [[MALLARD_NO_UNIQUE_ADDRESS]] upstream_handle<Upstream> source_;
};

template <class Source>
inline constexpr bool is_quiet = false;
template <class Upstream>
inline constexpr bool is_quiet<quiet_source<Upstream>> = true;

/// Returns: the upstream, or the upstream as a quiet source.
template <bool Quiet, upstream Upstream>
[[nodiscard]] decltype(auto) source_from(const upstream_handle<Upstream>& handle) noexcept {
    if constexpr (Quiet) {
        return quiet_source<Upstream>(handle);
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

} // namespace mallard::core::inline MALLARD_MODE
