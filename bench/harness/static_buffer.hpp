/// The initial buffer of the monotonic strategies: the papers' static array of 2^30 bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace bench {

enum class buffer_state {
    none, ///< the allocator starts without a buffer
    cold, ///< the buffer's pages are touched for the first time in the timed part, as in P0213
    warm, ///< the pages that will be used were touched before the clock started
};

[[nodiscard]] buffer_state parse_buffer_state(const std::string& name);

enum class page_size {
    small, ///< the system's usual pages
    huge,  ///< huge pages, where the system has them to give
};

/// Zeroed memory, like an array with static storage duration. Mapped rather than declared, so that a machine
/// with little memory can have a smaller one.
class static_buffer {
public:
    /// Effects: maps `bytes` bytes; of a warm one it touches the first `used_bytes`.
    /// Throws: std::bad_alloc.
    static_buffer(buffer_state state, page_size pages, std::size_t bytes, std::size_t used_bytes);
    static_buffer(const static_buffer&) = delete;
    static_buffer& operator=(const static_buffer&) = delete;
    ~static_buffer();

    [[nodiscard]] std::span<std::byte> span() const noexcept { return bytes_; }

    /// Returns: whether huge pages were asked for and none were given, as far as the system tells of pages
    /// touched so far.
    [[nodiscard]] bool lacks_huge_pages() const;

private:
    page_size pages_;
    std::span<std::byte> bytes_;
};

/// Effects: takes `bytes` bytes of memory from the system, touches all of it, and gives it back.
///
/// In a virtual machine the memory that a process is given for the first time, or for the first time after it
/// lay free for some seconds, may have to be fetched from the host, at up to twenty times the price of a page
/// that is there. Who pays would be chance; after this nobody does, and page faults cost what this system's
/// kernel takes for them.
void bring_in(std::size_t bytes) noexcept;

/// Returns: how much bring_in() may take at most: what is free, with some to spare, and not above 12 GiB.
[[nodiscard]] std::size_t most_to_bring_in();

} // namespace bench
