/// Base of the adaptors that know how many bytes are in use, through releases and rollbacks too.
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::adapt::inline MALLARD_MODE {

/// Data model: the mechanism, and the sum of the sizes of its live blocks: as they were requested, or,
/// where the mechanism is expandable, as many bytes as they have, since who grows a block and who frees it
/// need not know what was requested. A mark remembers the sum, so that a rollback finds it again.
template <class A>
class metered : public adaptor<A> {
public:
    /// Returns: the bytes that were allocated and neither deallocated nor forgotten since.
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return bytes_in_use_; }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        bytes_in_use_ -= bytes_of(p, bytes);
        this->mechanism_.deallocate(p, bytes, alignment);
    }

    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept
        requires burst_allocator<std::remove_reference_t<A>>
    {
        bytes_in_use_ -= bytes_of(blocks, bytes);
        this->mechanism_.deallocate_many(std::move(blocks), bytes, alignment);
    }

    void deallocate_many(block_chain&& blocks) noexcept
        requires mixed_burst_allocator<std::remove_reference_t<A>> && expandable<std::remove_reference_t<A>>
    {
        bytes_in_use_ -= bytes_of(blocks);
        this->mechanism_.deallocate_many(std::move(blocks));
    }

    /// Effects, returns: as the mechanism.
    std::size_t shrink(void* p, std::size_t bytes) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        const std::size_t before = bytes_of(p);
        const std::size_t left = this->mechanism_.shrink(p, bytes);
        bytes_in_use_ -= before - left;
        return left;
    }

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

    /// Returns: the bytes of a live block, or none of null.
    [[nodiscard]] std::size_t bytes_of(const void* p) const noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        return p != nullptr ? this->mechanism_.usable_bytes(p) : 0;
    }

    /// Returns: the bytes of all blocks of a chain.
    [[nodiscard]] std::size_t bytes_of(const block_chain& blocks) const noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        std::size_t sum = 0;
        blocks.for_each([&](const void* p) { sum += bytes_of(p); });
        return sum;
    }

    /// Returns: the bytes of a live block, or of all blocks of a chain, each of which is told to be of `bytes`.
    [[nodiscard]] std::size_t bytes_of(const void* p, std::size_t bytes) const noexcept {
        if constexpr (expandable<std::remove_reference_t<A>>) {
            return bytes_of(p);
        } else {
            return bytes;
        }
    }
    [[nodiscard]] std::size_t bytes_of(const block_chain& blocks, std::size_t bytes) const noexcept {
        if constexpr (expandable<std::remove_reference_t<A>>) {
            return bytes_of(blocks);
        } else {
            return blocks.size() * bytes;
        }
    }

    /// Effects: counts what became of a block that had `before` bytes.
    void follow(const expansion_result& done, std::size_t before) noexcept {
        bytes_in_use_ += done.how == expansion::fresh ? done.bytes : done.bytes - before;
    }

    std::size_t bytes_in_use_ = 0;
};

} // namespace mallard::adapt::inline MALLARD_MODE
