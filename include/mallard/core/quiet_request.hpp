/// Asks an upstream without an exception, for callers that have another way.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>

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

} // namespace mallard::core::inline MALLARD_MODE
