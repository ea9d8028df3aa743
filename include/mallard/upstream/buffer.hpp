/// The caller's buffer as an upstream: bounded, it fails instead of asking another upstream.
///
///     [ taken ............ | free .............. ]
///                          ^ cursor_             ^ limit_
///
/// A chunk that is returned is reused only if it was the last one taken. Use it below a local allocator whose
/// chunks come and go together. To go on elsewhere when the buffer is full, give the buffer to a monotonic
/// allocator instead.
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
        : cursor_(bytes.data()), limit_(bytes.data() + bytes.size()) {}

    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;

    /// Returns: a block of its own; zero bytes get a block of one.
    /// Throws: std::bad_alloc if the rest of the buffer is too short.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        bytes += static_cast<std::size_t>(bytes == 0);
        const std::size_t padding = core::padding_to(cursor_, alignment);
        const std::size_t room = free_bytes();
        if (padding > room || bytes > room - padding) {
            core::fail_allocation(bytes, alignment);
        }
        std::byte* block = cursor_ + padding;
        cursor_ = block + bytes;
        return block;
    }

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

private:
    std::byte* cursor_;
    std::byte* limit_;
};

static_assert(upstream<buffer>);

} // namespace mallard::inline MALLARD_MODE
