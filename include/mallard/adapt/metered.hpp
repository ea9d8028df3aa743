/// Base of the adaptors that know how many bytes are in use, through releases and rollbacks too.
#pragma once

#include <mallard/adapt/adaptor.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard {

/// Data model: the mechanism, and the sum of the requested sizes of its live blocks. A mark remembers the
/// sum, so that a rollback finds it again.
template <class A>
class metered : public adaptor<A> {
public:
    /// Returns: the bytes that were allocated and neither deallocated nor forgotten since.
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return bytes_in_use_; }

    /// Effects: as the mechanism's; nothing is in use afterwards.
    void release() noexcept
        requires local_allocator<std::remove_reference_t<A>>
    {
        this->mechanism_.release();
        bytes_in_use_ = 0;
    }

    /// Effects: as the mechanism's; nothing is in use afterwards.
    void rewind() noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        this->mechanism_.rewind();
        bytes_in_use_ = 0;
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        return std::pair{this->mechanism_.mark(), bytes_in_use_};
    }

    template <class Position>
    void rollback(Position to) noexcept
        requires rewindable<std::remove_reference_t<A>>
    {
        this->mechanism_.rollback(to.first);
        bytes_in_use_ = to.second;
    }

protected:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit metered(Args&&... args) : adaptor<A>(std::forward<Args>(args)...) {}

    ~metered() = default;

    std::size_t bytes_in_use_ = 0;
};

} // namespace mallard
