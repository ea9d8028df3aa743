/// Requests that an upstream may well refuse: without an exception, for callers that have another way; and with the
/// upstream's own exception, if no size holds the request and the caller's metadata.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>

#include <algorithm>
#include <cstddef>

namespace mallard::core::inline MALLARD_MODE {

/// Returns: the result of `source.allocate(bytes, alignment)`; null if that throws. The out-of-memory handler is
/// not called. In a program without exceptions, an upstream without try_allocate() ends the program instead.
template <upstream Upstream>
[[nodiscard]] void* ask_quietly(Upstream&& source, std::size_t bytes, std::size_t alignment) noexcept {
    const auto ask = [&]() -> void* {
        if constexpr (requires { source.try_allocate(bytes, alignment); }) {
            return source.try_allocate(bytes, alignment);
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

/// Effects: fails as `source` fails for a request that is too large: asks it for `bytes`, or for as many bytes as
/// `alignment` if that is more.
/// Requires: no size holds the request and the caller's metadata.
/// Throws: the exceptions of `source`; std::bad_alloc if it grants the request.
template <upstream Upstream>
[[noreturn]] void fail_as_upstream(Upstream&& source, std::size_t bytes, std::size_t alignment) {
    const volatile std::size_t too_many_bytes = std::max(bytes, alignment); // compilers warn of a constant
    void* const p = source.allocate(too_many_bytes, alignment);
    source.deallocate(p, too_many_bytes, alignment);
    fail_allocation(bytes, alignment);
}

} // namespace mallard::core::inline MALLARD_MODE
