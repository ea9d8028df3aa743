// Two halves of a program, compiled in two modes. They use the same templates and exchange no allocator.
#pragma once

#include <cstddef>

/// The answers of a half about its own functions.
struct seen {
    bool poisons_released_memory;
    bool survives_a_source_that_throws; ///< only asked of what has exceptions
};

/// A source of memory whose allocate() throws.
struct exhausted {
    static void* allocate(std::size_t bytes, std::size_t alignment);
    static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
};

seen look_at_first_half(bool exceptions);
seen look_at_second_half(bool exceptions);

/// Breaks a contract, without consequence if contracts are not checked.
void misuse_first_half();
void misuse_second_half();
