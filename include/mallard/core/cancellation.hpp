/// Keeps the calls of an allocator from being cancellation points, as those of malloc are none.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// While one lives, pthread_cancel() of the calling thread stays pending. For code that reads files, writes a message, or
/// calls a handler: a cancellation unwinds the stack, which must not happen in a function that is noexcept.
class [[nodiscard]] cancellation_disabled {
public:
#if MALLARD_THREADS
    cancellation_disabled() noexcept;
    ~cancellation_disabled();
#else // nobody cancels the only thread, so a small system needs no file of the library for it
    cancellation_disabled() noexcept = default;
    // NOLINTNEXTLINE(modernize-use-equals-default): else compilers warn of an object that is not used
    ~cancellation_disabled() {}
#endif
    cancellation_disabled(const cancellation_disabled&) = delete;
    cancellation_disabled& operator=(const cancellation_disabled&) = delete;

private:
    [[maybe_unused]] int previous_state_ = 0;
};

}} // namespace mallard::core::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_MODE {

/// Effects: calls `source.deallocate(p, bytes, alignment)` from a function that is noexcept. A cancellation stays pending
/// meanwhile, unless `source` excludes it by a noexcept of its own.
template <class Source>
void give_back(Source&& source, void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (noexcept(source.deallocate(p, bytes, alignment))) {
        source.deallocate(p, bytes, alignment);
    } else {
        const cancellation_disabled meanwhile;
        source.deallocate(p, bytes, alignment);
    }
}

}} // namespace mallard::core::MALLARD_MODE
