/// What happens when memory runs out: one place, so that a program can hear of it first.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <array>
#include <cstddef>
#include <new>

namespace mallard::inline MALLARD_LIBRARY {

/// Called with the request that failed, before the failure is reported to the caller.
using out_of_memory_handler = void (*)(std::size_t bytes, std::size_t alignment) noexcept;

/// Effects: installs `handler` for the whole process (none: nullptr, as at the start).
/// Returns: the handler that was installed before.
out_of_memory_handler set_out_of_memory_handler(out_of_memory_handler handler) noexcept;

} // namespace mallard::inline MALLARD_LIBRARY

namespace mallard::core::inline MALLARD_LIBRARY {

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

} // namespace mallard::core::inline MALLARD_LIBRARY

namespace mallard::inline MALLARD_LIBRARY {

/// What is thrown where a pool will never serve a request, however much memory there is. what() says why.
class refused_request : public std::bad_alloc {
public:
    explicit refused_request(const char* why) noexcept;
    [[nodiscard]] const char* what() const noexcept override { return why_.data(); }

private:
    std::array<char, 224> why_{};
};

} // namespace mallard::inline MALLARD_LIBRARY

namespace mallard::core::inline MALLARD_LIBRARY {

/// Effects: as fail_allocation(), but says that the blocks of the pool have `most_bytes` at `most_alignment`.
/// Throws: refused_request. A library that was built without exceptions aborts instead.
[[noreturn]] void refuse_request(std::size_t bytes, std::size_t alignment, std::size_t most_bytes,
                                 std::size_t most_alignment);

/// Effects: as refuse_request(), but says that the pool's arena has no room for one such block.
[[noreturn]] void refuse_for_want_of_room(std::size_t bytes, std::size_t alignment);

/// Effects: as refuse_request(), but says that a chain of such blocks cannot be.
[[noreturn]] void refuse_burst(std::size_t bytes, std::size_t alignment);

/// Effects: as refuse_request(), but says that a pool cannot have blocks that hold so much, at the most
/// `most_bytes` at `most_alignment`.
[[noreturn]] void refuse_block_size(std::size_t bytes, std::size_t alignment, std::size_t most_bytes,
                                    std::size_t most_alignment);

/// Effects: as refuse_request(), but says what the region of `bytes` bytes at `begin` lacks of `least_bytes` at a
/// multiple of `alignment`.
[[noreturn]] void refuse_region(const void* begin, std::size_t bytes, std::size_t least_bytes,
                                std::size_t alignment);

/// Effects: as refuse_request(), but says that at `begin` there is no heap that this program could open.
[[noreturn]] void refuse_foreign_region(const void* begin);

/// Effects: says that `asked` objects were asked for at once where a fixed block holds `most`.
/// Throws: std::length_error, which says so. A library that was built without exceptions aborts instead.
[[noreturn]] void fail_length(std::size_t asked, std::size_t most);

} // namespace mallard::core::inline MALLARD_LIBRARY
