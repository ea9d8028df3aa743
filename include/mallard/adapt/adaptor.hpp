/// What every adaptor has: a mechanism inside, whose other operations pass through.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::adapt::inline MALLARD_MODE {

/// Base of the adaptors. `A` is held by value, or by reference for adaptor<A&>, when it lives elsewhere. An
/// adaptor is a local allocator, and rewindable, where the mechanism is.
template <class A>
    requires upstream<std::remove_reference_t<A>>
class adaptor {
public:
    using mechanism_type = std::remove_reference_t<A>;

    adaptor(const adaptor&) = delete;
    adaptor& operator=(const adaptor&) = delete;

    [[nodiscard]] mechanism_type& mechanism() noexcept { return mechanism_; }
    [[nodiscard]] const mechanism_type& mechanism() const noexcept { return mechanism_; }

    void release() noexcept
        requires local_allocator<mechanism_type>
    {
        mechanism_.release();
    }

    void rewind() noexcept
        requires rewindable<mechanism_type>
    {
        mechanism_.rewind();
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<mechanism_type>
    {
        return mechanism_.mark();
    }

    template <class Position>
    void rollback(Position to) noexcept
        requires rewindable<mechanism_type>
    {
        mechanism_.rollback(to);
    }

    /// Returns: as the mechanism.
    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept
        requires expandable<mechanism_type>
    {
        return mechanism_.usable_bytes(p);
    }

protected:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit adaptor(Args&&... args) : mechanism_(std::forward<Args>(args)...) {}

    ~adaptor() = default;

    A mechanism_;
};

} // namespace mallard::adapt::inline MALLARD_MODE
