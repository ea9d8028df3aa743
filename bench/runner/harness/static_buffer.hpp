/// The initial buffer of the monotonic strategies: the papers' static array of 2^30 bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace bench {

enum class buffer_state {
    none, ///< the allocator starts without a buffer
    cold, ///< the timed part touches the buffer's pages for the first time, as in P0213
    warm, ///< the pages that will be used are touched before the clock starts
};

[[nodiscard]] buffer_state parse_buffer_state(const std::string& name);

/// Zeroed memory, like an array with static storage duration. It is mapped, so that it can be smaller on a machine
/// with little memory. It requests huge pages if they are in use.
class static_buffer {
public:
    /// Effects: maps `bytes` bytes. If the state is warm, touches the first `used_bytes`.
    /// Throws: std::bad_alloc.
    static_buffer(buffer_state state, std::size_t bytes, std::size_t used_bytes);
    static_buffer(const static_buffer&) = delete;
    static_buffer& operator=(const static_buffer&) = delete;
    ~static_buffer();

    [[nodiscard]] std::span<std::byte> span() const noexcept { return bytes_; }

    /// Returns: true if huge pages were requested and the touched pages have none.
    [[nodiscard]] bool lacks_huge_pages() const;

private:
    std::span<std::byte> bytes_;
};

/// Effects: maps `bytes` bytes, touches all pages, and unmaps them.
///
/// In a virtual machine a page may have to be fetched from the host, at up to twenty times the cost of a fault. That
/// happens on a page's first use, and again after it was free for some seconds. Chance would decide which cell pays.
/// After this call, page faults cost only the time of this system's kernel.
void bring_in(std::size_t bytes) noexcept;

/// Returns: the most that bring_in() may take: the free memory less a reserve, and 12 GiB at most.
[[nodiscard]] std::size_t most_to_bring_in();

} // namespace bench
