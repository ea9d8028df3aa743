/// The allocators that can serve a scope: mechanisms of the library, behind one table of functions each.
#pragma once

#include <cstddef>

namespace mallard::trial {

class thread_arena;

struct strategy {
    const char* name;
    /// Larger requests go to the global allocator. 0 for the null strategy, which only detects the scope.
    std::size_t largest_bytes;
    /// Effects: constructs the arena's mechanism.
    void (*construct)(thread_arena& arena);
    /// Returns: a block of at least `bytes`.
    /// Requires: `bytes` is at most largest_bytes, and the arena has room.
    void* (*allocate)(thread_arena& arena, std::size_t bytes);
    /// Requires: the block is the arena's, and the caller owns the arena.
    void (*deallocate)(thread_arena& arena, void* block);
    // Of a mechanism for few blocks; null for others.
    /// Effects: makes the mechanism serve the next request, of so many bytes, if it can.
    bool (*make_room)(thread_arena& arena, std::size_t bytes) = nullptr;
    /// Returns: true if the block has at least `bytes` from now on.
    bool (*resize)(thread_arena& arena, void* block, std::size_t bytes) = nullptr;
    /// The global allocator serves, with room for the final size of a growing array (setting::reserved_bytes).
    bool reserves = false;

    static constexpr std::size_t room_bytes = 32 << 10;

    /// Returns: the strategy with that name, or null.
    static const strategy* named(const char* name) noexcept;
};

} // namespace mallard::trial
