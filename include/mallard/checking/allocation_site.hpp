/// The places where blocks are allocated, for allocators with a registry (adapt/checked.hpp): named by the
/// program, or else taken from the stack.
///
///     const mallard::allocation_site site;     // until the end of this scope, in this thread:
///     std::pmr::vector<int> v(100, &pool);     // "allocated at main.cpp:12 in int main()"
///
/// Data model: a chain of scopes for each thread, innermost first; each holds a place. Containers call an
/// allocator from their own source lines, which are of no use, and bindings have no parameter to spare. So the
/// program names the place around the calls, which works through every binding and adaptor. A scope costs two
/// stores, checked or not.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>
#include <source_location>
#include <span>
#include <utility>

namespace mallard { inline namespace MALLARD_LIBRARY {

/// Names the place of all allocations of this thread until the end of the scope; inner scopes name their own.
class [[nodiscard]] allocation_site {
public:
    explicit allocation_site(std::source_location place = std::source_location::current()) noexcept
        : place_(place), outer_(std::exchange(innermost, this)) {}

    allocation_site(const allocation_site&) = delete;
    allocation_site& operator=(const allocation_site&) = delete;

    ~allocation_site() { innermost = outer_; }

    /// Returns: the place that this thread's innermost scope names; null outside of all scopes.
    [[nodiscard]] static const std::source_location* current() noexcept {
        return innermost == nullptr ? nullptr : &innermost->place_;
    }

private:
    std::source_location place_;
    const allocation_site* outer_;

    static inline constinit MALLARD_THREAD_LOCAL const allocation_site* innermost = nullptr;
};

/// The most return addresses that are kept of an allocation.
inline constexpr std::size_t most_stack_frames = 32;

/// Effects: sets the number of return addresses that are kept of each allocation outside of all scopes, for this
/// copy of the library; at most most_stack_frames, 0 for none. At the start it is 16, or
/// the value of the environment variable MALLARD_STACK_FRAMES if that is a whole number of at most
/// most_stack_frames. It is always 0 if the system has no <execinfo.h>.
/// Returns: the previous number.
std::size_t keep_stack_frames(std::size_t frames) noexcept;

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

/// Returns: the part of `room` that was filled with the return addresses of the calling function's callers.
[[nodiscard]] std::span<void*> capture_stack(std::span<void*, most_stack_frames> room) noexcept;

}} // namespace mallard::checking::MALLARD_LIBRARY
