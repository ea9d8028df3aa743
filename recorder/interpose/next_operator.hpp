/// operator new and delete that the program would have without the recorder.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard::recorder {

/// The twelve operators have one name each for the linker.
enum class operator_name : unsigned char {
    new_object,
    new_array,
    new_object_nothrow,
    new_array_nothrow,
    new_object_aligned,
    new_array_aligned,
    new_object_aligned_nothrow,
    new_array_aligned_nothrow,
    delete_object,
    delete_array,
    delete_object_aligned,
    delete_array_aligned,
};

enum class operators : std::uint8_t { not_known, usual, of_a_library };

// A library that is loaded later cannot come before the standard one, so the answer stays.
extern std::atomic<operators> known_operators;

operators look_at_operators() noexcept;

/// Returns: true if the next operators are those of libstdc++ or libc++, which call malloc and free, and nothing else. A
/// library of the program may bring operators of its own; then they are called.
[[gnu::always_inline]] inline bool operators_are_usual() noexcept {
    operators now = known_operators.load(std::memory_order_relaxed);
    if (now == operators::not_known) [[unlikely]] {
        now = look_at_operators();
    }
    return now == operators::usual;
}

/// The block that the thread has given to an operator delete of a library. If it gives the block to free, that is no further event.
/// A library that takes its blocks elsewhere, such as jemalloc, has no malloc for it either.
extern __thread const void* deleted_by_library [[gnu::tls_model("initial-exec")]];

/// Returns: the function, or null if no library has it. A program in C may have loaded the standard library for libraries of its
/// own alone, so it is also looked for where `caller` is, an address in code.
void* next_operator(operator_name which, const void* caller) noexcept;

/// Effects: ends the program, unless the operator may return null.
/// Returns: null.
void* no_operator(operator_name which) noexcept;

} // namespace mallard::recorder
