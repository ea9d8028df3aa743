/// The allocator and the operators new and delete that the program would have without this library: the next in symbol lookup
/// order.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard::recorder {

/// `struct mallinfo` and, of std::size_t, `struct mallinfo2`, which the headers of glibc have since 2.33.
template <typename Number>
struct heap_figures {
    std::array<Number, 10> values;
};

struct next_allocator {
    void* (*malloc)(std::size_t) = nullptr;
    void* (*calloc)(std::size_t, std::size_t) = nullptr;
    void* (*realloc)(void*, std::size_t) = nullptr;
    void (*free)(void*) = nullptr;
    void* (*memalign)(std::size_t, std::size_t) = nullptr;
    void* (*aligned_alloc)(std::size_t, std::size_t) = nullptr;
    int (*posix_memalign)(void**, std::size_t, std::size_t) = nullptr;
    void* (*valloc)(std::size_t) = nullptr;
    void* (*pvalloc)(std::size_t) = nullptr;
    // Null if no library has them, and until all functions are resolved.
    int (*malloc_trim)(std::size_t) = nullptr;
    heap_figures<int> (*mallinfo)() = nullptr;
    heap_figures<std::size_t> (*mallinfo2)() = nullptr;
    int (*mallopt)(int, int) = nullptr;
};

/// Returns: the functions; resolves them at the first call, which precedes all constructors.
const next_allocator& next() noexcept;

/// Effects: finds the functions again, because the library was loaded into a running program, and does not precede its files.
/// From now on, `next_function` searches the files of the program in their order.
/// Requires: no other thread is in a function of this library.
void become_attached() noexcept;

/// Returns: true if this library has the function.
bool is_own_function(const void* function) noexcept;

/// Returns: true if `block` was allocated before the functions were resolved. It is never freed.
bool is_early(const void* block) noexcept;

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

enum class operators : std::uint8_t { not_known, standard, of_a_library };

// A library that is loaded later cannot precede the standard one, so the result stays valid.
extern std::atomic<operators> known_operators;

operators find_operators() noexcept;

/// Returns: true if the next operators are those of libstdc++ or libc++, which only call malloc and free. A
/// library of the program may define operators; then these are called.
[[gnu::always_inline]] inline bool has_standard_operators() noexcept {
    operators current = known_operators.load(std::memory_order_relaxed);
    if (current == operators::not_known) [[unlikely]] {
        current = find_operators();
    }
    return current == operators::standard;
}

/// The block that the thread has passed to a library's operator delete. If the library passes it to free, that is the same event.
/// A library with its own heap, such as jemalloc, does not get its blocks from malloc either.
extern __thread const void* deleted_by_library [[gnu::tls_model("initial-exec")]];

/// The operators that were found, by name.
extern std::array<std::atomic<void*>, 12> next_operators;

void* find_operator(operator_name name, const void* caller) noexcept;

/// Returns: the function, or null if no library has it. A program in C may have loaded the standard library only as a dependency
/// of its libraries, so the file of `caller`, a code address, is searched too.
[[gnu::always_inline]] inline void* next_operator(operator_name name, const void* caller) noexcept {
    void* const function = next_operators[static_cast<std::size_t>(name)].load(std::memory_order_relaxed);
    return function != nullptr ? function : find_operator(name, caller);
}

/// Effects: ends the program, unless the operator may return null.
/// Returns: null.
void* no_operator(operator_name name) noexcept;

} // namespace mallard::recorder
