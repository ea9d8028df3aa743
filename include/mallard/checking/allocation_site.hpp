/// Where blocks are allocated, for allocators that keep books of it (adapt/checked.hpp): a place that the
/// program names, or else the stack.
///
///     const mallard::allocation_site here;     // until the end of this scope, in this thread:
///     std::pmr::vector<int> v(100, &pool);     // "allocated at main.cpp:12 in int main()"
///
/// Data model: a chain of scopes for each thread, innermost first; each holds a place. Calls reach an
/// allocator from within the containers, whose own lines tell nobody anything, and through bindings that have
/// no parameter to spare. So the place is named around them, which works through every binding and adaptor. A
/// scope costs two stores, checked or not.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>
#include <source_location>
#include <span>
#include <utility>

namespace mallard::inline MALLARD_LIBRARY {

/// Names the place of all that this thread allocates until the end of the scope; scopes within name theirs.
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

    static inline constinit thread_local const allocation_site* innermost = nullptr;
};

/// More return addresses than these are kept of no allocation.
inline constexpr std::size_t most_stack_frames = 32;

/// Effects: lets `frames` return addresses be kept of each allocation outside of all scopes, for the whole
/// process; at most most_stack_frames, 0 for none. A microsecond or two an allocation. At the start it is 16, or
/// what the environment variable MALLARD_STACK_FRAMES says; always 0 if the system has no <execinfo.h>.
/// Returns: the number before.
std::size_t keep_stack_frames(std::size_t frames) noexcept;

} // namespace mallard::inline MALLARD_LIBRARY

namespace mallard::checking::inline MALLARD_LIBRARY {

/// Returns: the part of `room` that was filled with the return addresses of the calling function's callers,
/// as many as keep_stack_frames() lets it be.
[[nodiscard]] std::span<void*> capture_stack(std::span<void*, most_stack_frames> room) noexcept;

/// Returns: what the system's own tables say of each address, as one block for std::free; null if it has no such
/// tables or no memory.
[[nodiscard]] char** names_of_frames(std::span<void* const> stack) noexcept;

} // namespace mallard::checking::inline MALLARD_LIBRARY
