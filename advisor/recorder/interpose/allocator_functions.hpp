/// malloc and its family, operator new and operator delete, as the program calls them.
///
/// The recorder and the trial compile these functions with different handlers. Each library has one source that includes this
/// header, after a header that defines `mallard::recorder::event`: constructed around a call, it decides what happens in it. The
/// functions have C linkage and fixed names, so they cannot be templates of the handler.
///
/// If the program's own operators are those of the standard library, an operator allocates from malloc directly, which
/// saves a call, and leaves failures to the standard library: its new handlers and its exception.
#pragma once

#include "recorder/interpose/interposed.hpp"
#include "recorder/interpose/next_functions.hpp"

#include <cerrno>
#include <cstddef>
#include <new>

using namespace mallard::recorder;

// NOLINTBEGIN(misc-definitions-in-headers): only one source of a library includes this header
// NOLINTBEGIN(readability-static-accessed-through-instance): some functions of `event` are static in the trial only
MALLARD_INTERPOSED void* malloc(std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::malloc, bytes, [=] { return next().malloc(bytes); });
}

MALLARD_INTERPOSED void* calloc(std::size_t count, std::size_t bytes) {
    std::size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) [[unlikely]] {
        return next().calloc(count, bytes);
    }
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::calloc, total, [=] { return next().calloc(count, bytes); });
}

MALLARD_INTERPOSED void free(void* block) {
    if (is_early(block)) [[unlikely]] {
        return;
    }
    if (block == deleted_by_library) [[unlikely]] {
        deleted_by_library = nullptr;
        next().free(block);
        return;
    }
    event current(MALLARD_FRAME);
    current.freed(record_kind::free, block, [=] { next().free(block); });
}

namespace {

/// Moves a block from before malloc was found to malloc's memory.
void* out_of_early_memory(const void* old, std::size_t bytes) noexcept {
    auto* const block = static_cast<std::byte*>(next().malloc(bytes));
    const auto* const from = static_cast<const std::byte*>(old);
    for (std::size_t index = 0; block != nullptr && index < bytes && is_early(from + index); ++index) {
        block[index] = from[index];
    }
    return block;
}

[[gnu::always_inline]] inline void* realloc_from(arch::call_frame frame, void* old,
                                                 std::size_t bytes) noexcept {
    event current(frame);
    if (is_early(old)) [[unlikely]] {
        return current.allocated(record_kind::realloc, bytes,
                                 [&] { return out_of_early_memory(old, bytes); });
    }
    return current.reallocated(old, bytes, [=] { return next().realloc(old, bytes); });
}

} // namespace

MALLARD_INTERPOSED void* realloc(void* old, std::size_t bytes) {
    return realloc_from(MALLARD_FRAME, old, bytes);
}

MALLARD_INTERPOSED void* reallocarray(void* old, std::size_t count, std::size_t bytes) {
    std::size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        errno = ENOMEM;
        return nullptr;
    }
    return realloc_from(MALLARD_FRAME, old, total);
}

MALLARD_INTERPOSED void* memalign(std::size_t alignment, std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::aligned, bytes, [&] { return next().memalign(alignment, bytes); });
}

MALLARD_INTERPOSED void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::aligned, bytes,
                             [&] { return next().aligned_alloc(alignment, bytes); });
}

MALLARD_INTERPOSED int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
    event current(MALLARD_FRAME);
    int result = 0;
    current.allocated(record_kind::aligned, bytes, [&]() -> void* {
        result = next().posix_memalign(block, alignment, bytes);
        return result == 0 ? *block : nullptr;
    });
    return result;
}

MALLARD_INTERPOSED void* valloc(std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::aligned, bytes, [&] { return next().valloc(bytes); });
}

MALLARD_INTERPOSED void* pvalloc(std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::aligned, bytes, [&] { return next().pvalloc(bytes); });
}

namespace {

constexpr std::size_t at_least_one(std::size_t bytes) noexcept {
    return bytes == 0 ? 1 : bytes;
}

using enum operator_name;

/// Returns: an address in the caller of the operator with this frame.
const void* return_address(arch::call_frame frame) noexcept {
    return reinterpret_cast<const void*>(unwind::caller::from_frame(frame).return_address());
}

/// Effects: calls the program's own operator.
template <typename... Arguments>
void* new_by_next(arch::call_frame frame, operator_name name, std::size_t bytes, Arguments... arguments) {
    void* const of_library = next_operator(name, return_address(frame));
    if (of_library == nullptr) {
        return no_operator(name);
    }
    return reinterpret_cast<void* (*)(std::size_t, Arguments...)>(of_library)(bytes, arguments...);
}

/// For operators of the program's libraries, which may allocate in any way, and throw. With standard operators: malloc has
/// failed, so the new handlers and the exception are up to them.
template <typename... Arguments>
[[gnu::noinline]] void* allocate_by_next(arch::call_frame frame, record_kind kind, operator_name name,
                                         std::size_t bytes, Arguments... arguments) {
    if (has_standard_operators()) {
        return new_by_next(frame, name, bytes, arguments...);
    }
    if (void* const block = event(frame).instead_of_library(kind, bytes)) {
        return block;
    }
    // No event lives during the call, because an exception would leave it open.
    void* const block = new_by_next(frame, name, bytes, arguments...);
    event(frame).came_from_library(kind, bytes, block);
    return block;
}

template <typename Allocate, typename... Arguments>
[[gnu::always_inline]] inline void* allocate(arch::call_frame frame, record_kind kind, operator_name name,
                                             std::size_t bytes, Allocate by_malloc, Arguments... arguments) {
    if (has_standard_operators()) [[likely]] {
        event current(frame);
        if (void* const block = current.allocated(kind, bytes, by_malloc)) [[likely]] {
            return block;
        }
    }
    return allocate_by_next(frame, kind, name, bytes, arguments...);
}

/// A new with default alignment.
template <typename... Arguments>
[[gnu::always_inline]] inline void* new_default(arch::call_frame frame, record_kind kind, operator_name name,
                                                std::size_t bytes, Arguments... arguments) {
    const auto by_malloc = [bytes] { return next().malloc(at_least_one(bytes)); };
    return allocate(frame, kind, name, bytes, by_malloc, arguments...);
}

/// A new of greater alignment.
template <typename... Arguments>
[[gnu::always_inline]] inline void* new_aligned(arch::call_frame frame, record_kind kind, operator_name name,
                                                std::size_t bytes, std::align_val_t alignment,
                                                Arguments... arguments) {
    const auto by_memalign = [bytes, alignment] {
        return next().memalign(static_cast<std::size_t>(alignment), at_least_one(bytes));
    };
    return allocate(frame, kind, name, bytes, by_memalign, alignment, arguments...);
}

/// For operators of the program's libraries. They may free other blocks as well, which are separate events.
/// So no event lives during the call.
template <typename... Arguments>
[[gnu::noinline]] void free_by_next(arch::call_frame frame, record_kind kind, operator_name name, void* block,
                                    Arguments... arguments) noexcept {
    if (event(frame).was_freed_instead_of_library(kind, block)) {
        return;
    }
    if (void* const of_library = next_operator(name, return_address(frame))) {
        const void* const outer = deleted_by_library;
        deleted_by_library = block;
        reinterpret_cast<void (*)(void*, Arguments...)>(of_library)(block, arguments...);
        deleted_by_library = outer;
    } else {
        next().free(block);
    }
}

/// The system's free cannot use the sizes, and the standard operators ignore them.
template <typename... Arguments>
[[gnu::always_inline]] inline void free_block(arch::call_frame frame, record_kind kind, operator_name name,
                                              void* block, Arguments... arguments) noexcept {
    if (has_standard_operators()) [[likely]] {
        event current(frame);
        current.freed(kind, block, [block] { next().free(block); });
        return;
    }
    free_by_next(frame, kind, name, block, arguments...);
}

} // namespace

#define MALLARD_OPERATOR __attribute__((visibility("default")))

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

MALLARD_OPERATOR void* operator new(size_t bytes) {
    return new_default(MALLARD_FRAME, record_kind::new_object, new_object, bytes);
}
MALLARD_OPERATOR void* operator new[](size_t bytes) {
    return new_default(MALLARD_FRAME, record_kind::new_array, new_array, bytes);
}
MALLARD_OPERATOR void* operator new(size_t bytes, const nothrow_t& nothrow) noexcept {
    return new_default(MALLARD_FRAME, record_kind::new_object, new_object_nothrow, bytes, &nothrow);
}
MALLARD_OPERATOR void* operator new[](size_t bytes, const nothrow_t& nothrow) noexcept {
    return new_default(MALLARD_FRAME, record_kind::new_array, new_array_nothrow, bytes, &nothrow);
}
MALLARD_OPERATOR void* operator new(size_t bytes, align_val_t alignment) {
    return new_aligned(MALLARD_FRAME, record_kind::aligned_new_object, new_object_aligned, bytes, alignment);
}
MALLARD_OPERATOR void* operator new[](size_t bytes, align_val_t alignment) {
    return new_aligned(MALLARD_FRAME, record_kind::aligned_new_array, new_array_aligned, bytes, alignment);
}
MALLARD_OPERATOR void* operator new(size_t bytes, align_val_t alignment, const nothrow_t& nothrow) noexcept {
    return new_aligned(MALLARD_FRAME, record_kind::aligned_new_object, new_object_aligned_nothrow, bytes,
                       alignment, &nothrow);
}
MALLARD_OPERATOR void* operator new[](size_t bytes, align_val_t alignment,
                                      const nothrow_t& nothrow) noexcept {
    return new_aligned(MALLARD_FRAME, record_kind::aligned_new_array, new_array_aligned_nothrow, bytes,
                       alignment, &nothrow);
}

MALLARD_OPERATOR void operator delete(void* block) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_object, delete_object, block);
}
MALLARD_OPERATOR void operator delete[](void* block) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_array, delete_array, block);
}
MALLARD_OPERATOR void operator delete(void* block, size_t) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_object, delete_object, block);
}
MALLARD_OPERATOR void operator delete[](void* block, size_t) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_array, delete_array, block);
}
MALLARD_OPERATOR void operator delete(void* block, const nothrow_t&) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_object, delete_object, block);
}
MALLARD_OPERATOR void operator delete[](void* block, const nothrow_t&) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_array, delete_array, block);
}
MALLARD_OPERATOR void operator delete(void* block, align_val_t alignment) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_object, delete_object_aligned, block, alignment);
}
MALLARD_OPERATOR void operator delete[](void* block, align_val_t alignment) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_array, delete_array_aligned, block, alignment);
}
MALLARD_OPERATOR void operator delete(void* block, size_t, align_val_t alignment) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_object, delete_object_aligned, block, alignment);
}
MALLARD_OPERATOR void operator delete[](void* block, size_t, align_val_t alignment) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_array, delete_array_aligned, block, alignment);
}
MALLARD_OPERATOR void operator delete(void* block, align_val_t alignment, const nothrow_t&) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_object, delete_object_aligned, block, alignment);
}
MALLARD_OPERATOR void operator delete[](void* block, align_val_t alignment, const nothrow_t&) noexcept {
    free_block(MALLARD_FRAME, record_kind::delete_array, delete_array_aligned, block, alignment);
}
// NOLINTEND(readability-static-accessed-through-instance)
// NOLINTEND(misc-definitions-in-headers)
