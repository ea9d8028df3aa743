/// An upstream in a buffer of the caller. If the buffer is full, a request fails; no other upstream is used.
///
///     [ block ][ block ][ padding .. | record ][ block ][ free .............. ]
///     ^ begin_                                 ^ padded_ ^ cursor_             ^ limit_
///
/// Only the most recent block can be reused, and all memory once no block is in use. So this upstream suits a local
/// allocator whose chunks come and go together. A monotonic allocator with an initial buffer goes on in another
/// upstream when the buffer is full.
///
/// Data model: the record in front of a block that needed padding holds the cursor before the padding, and the latest
/// padded block before this one, so that blocks freed in reverse order leave nothing behind. A padding that is too
/// short for a record is enlarged, unless the buffer is too full for that.
/// Invariants: `padded_` is the last block with a record, null if there is none. `blocks_` is the number of blocks in use.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/utility.hpp>

#include <cstddef>
#include <cstring>
#include <span>

namespace mallard { inline namespace MALLARD_MODE {

/// Not thread-safe.
class buffer {
public:
    static constexpr bool only_the_last_is_reused = true;

    /// Requires: `bytes` outlives the upstream and all chunks of it.
    explicit constexpr buffer(std::span<std::byte> bytes) noexcept
        : begin_(bytes.data()), cursor_(begin_), limit_(begin_ + bytes.size()) {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...>
    buffer(First&&, Args&&...) = delete; // it takes memory as one std::span<std::byte>

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
        std::size_t padding = core::padding_to(cursor_, alignment);
        const std::size_t room = free_bytes();
        if (padding > room || bytes > room - padding) {
            return nullptr;
        }
        if (padding != 0 && padding < sizeof(record)) {
            const std::size_t more = core::align_up(sizeof(record) - padding, alignment);
            padding += more <= room - padding - bytes ? more : 0;
        }
        std::byte* block = cursor_ + padding;
        if (padding >= sizeof(record)) {
            const record saved{cursor_, padded_};
            std::memcpy(block - sizeof(record), &saved, sizeof(record));
            padded_ = block;
        }
        cursor_ = block + bytes;
        ++blocks_;
        return block;
    }

    /// Effects: frees the block if it is the most recent one; otherwise its memory stays taken until no block is in
    /// use.
    void deallocate(void* p, std::size_t bytes,
                    [[maybe_unused]] std::size_t alignment = fundamental_alignment) noexcept {
        auto* block = static_cast<std::byte*>(p);
        if (--blocks_ == 0) {
            cursor_ = begin_;
            padded_ = nullptr;
        } else if (block + core::max<std::size_t>(bytes, 1) == cursor_) {
            cursor_ = block;
            if (block == padded_) {
                record saved;
                std::memcpy(&saved, block - sizeof(record), sizeof(record));
                cursor_ = saved.cursor;
                padded_ = saved.padded;
            }
        }
    }

    [[nodiscard]] std::size_t free_bytes() const noexcept {
        return static_cast<std::size_t>(limit_ - cursor_);
    }

    /// Returns: true if `p` points into the buffer.
    [[nodiscard]] bool owns(const void* p) const noexcept { return core::lies_in({begin_, limit_}, p); }

private:
    struct record {
        std::byte* cursor;
        std::byte* padded;
    };

    std::byte* begin_;
    std::byte* cursor_;
    std::byte* limit_;
    std::byte* padded_ = nullptr;
    std::size_t blocks_ = 0;
};

static_assert(upstream<buffer>);

}} // namespace mallard::MALLARD_MODE
