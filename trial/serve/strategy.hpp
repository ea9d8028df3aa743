/// The allocators that can serve a scope: mechanisms of the library, behind one table of functions each.
#pragma once

#include <cstddef>

namespace mallard::trial {

class server;

struct strategy {
    const char* name;
    /// Larger requests go to the global allocator. 0 if nothing is served: the null, which only finds the scope.
    std::size_t largest_bytes;
    /// Effects: makes the server's mechanism.
    void (*make)(server& of);
    /// Returns: a block of so many bytes, or more.
    /// Requires: `bytes` is at most largest_bytes, and the server has room.
    void* (*allocate)(server& of, std::size_t bytes);
    /// Requires: the block is the server's, and the caller owns the server.
    void (*deallocate)(server& of, void* block);

    static constexpr std::size_t room_bytes = 32 << 10;

    /// Returns: the strategy, or null if there is none of that name.
    static const strategy* named(const char* name) noexcept;
};

} // namespace mallard::trial
