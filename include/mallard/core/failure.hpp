/// What happens when memory runs out: one place, so that a program can hear of it first.
#pragma once

#include <cstddef>

namespace mallard {

/// Called with the request that failed, before the failure is reported to the caller.
using out_of_memory_handler = void (*)(std::size_t bytes, std::size_t alignment) noexcept;

/// Effects: installs `handler` for the whole process (none: nullptr, as at the start).
/// Returns: the handler that was installed before.
out_of_memory_handler set_out_of_memory_handler(out_of_memory_handler handler) noexcept;

/// While one lives, the handler does not hear of this thread's failures: for who asks in another way where
/// the first one fails.
class [[nodiscard]] unheard_failures {
public:
    unheard_failures() noexcept { ++living; }
    unheard_failures(const unheard_failures&) = delete;
    unheard_failures& operator=(const unheard_failures&) = delete;
    ~unheard_failures() { --living; }

    /// Returns: whether this thread has one.
    [[nodiscard]] static bool expected() noexcept { return living != 0; }

private:
    static inline constinit thread_local unsigned living = 0;
};

/// Effects: calls the handler, where there is one that is to hear of it; then throws.
/// Throws: std::bad_alloc. A library that was built without exceptions aborts instead.
[[noreturn]] void fail_allocation(std::size_t bytes, std::size_t alignment);

/// Effects: says that `asked` objects were asked for at once where a fixed block holds `most`.
/// Throws: std::length_error, which says so. A library that was built without exceptions aborts instead.
[[noreturn]] void fail_length(std::size_t asked, std::size_t most);

} // namespace mallard
