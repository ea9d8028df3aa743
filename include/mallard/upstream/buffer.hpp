/// An upstream in a buffer of the caller. If the buffer is full, a request fails; no other upstream is asked.
///
///     [ taken ............ | free .............. ]
///     ^ begin_             ^ cursor_             ^ limit_
///
/// Only the chunk taken last can be reused. So this upstream suits a local allocator whose chunks come and go
/// together. A monotonic allocator with an initial buffer goes on in another upstream when the buffer is full.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace mallard::inline MALLARD_MODE {

/// Not thread-safe.
class buffer {
public:
    static constexpr bool only_the_last_is_reused = true;

    /// Requires: `bytes` outlives the upstream and all chunks of it.
    explicit buffer(std::span<std::byte> bytes) noexcept
        : begin_(bytes.data()), cursor_(begin_), limit_(begin_ + bytes.size()) {}

    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;

    /// Returns: a block. A request for zero bytes gets one byte.
    /// Throws: std::bad_alloc if the rest of the buffer is too short.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        void* const block = try_allocate(bytes, alignment);
        if (block == nullptr) {
            core::fail_allocation(bytes, alignment);
        }
        return block;
    }

    /// Returns: a block of `bytes` bytes; null if the rest of the buffer is too short.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        bytes += static_cast<std::size_t>(bytes == 0);
        const std::size_t padding = core::padding_to(cursor_, alignment);
        const std::size_t room = free_bytes();
        if (padding > room || bytes > room - padding) {
            return nullptr;
        }
        std::byte* block = cursor_ + padding;
        cursor_ = block + bytes;
        return block;
    }

    /// Effects: frees the block if it is the one taken last; otherwise nothing.
    void deallocate(void* p, std::size_t bytes,
                    [[maybe_unused]] std::size_t alignment = fundamental_alignment) noexcept {
        auto* block = static_cast<std::byte*>(p);
        if (block + std::max<std::size_t>(bytes, 1) == cursor_) {
            cursor_ = block;
        }
    }

    [[nodiscard]] std::size_t free_bytes() const noexcept {
        return static_cast<std::size_t>(limit_ - cursor_);
    }

    /// Returns: true if `p` points into the buffer.
    [[nodiscard]] bool owns(const void* p) const noexcept { return core::lies_in({begin_, limit_}, p); }

private:
    std::byte* begin_;
    std::byte* cursor_;
    std::byte* limit_;
};

static_assert(upstream<buffer>);

} // namespace mallard::inline MALLARD_MODE
