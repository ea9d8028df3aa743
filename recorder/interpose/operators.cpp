/// operator new and operator delete, as the program calls them.
///
/// Where the program's own operators are those of the standard library, an operator here takes the block from malloc
/// itself, which saves a call, and leaves failures to the standard library: its new handlers, and its exception.

#include MALLARD_EVENT_HEADER
#include "recorder/interpose/next_allocator.hpp"
#include "recorder/interpose/next_operator.hpp"

#include <cstddef>
#include <new>

using namespace mallard::recorder;

namespace {

constexpr std::size_t at_least_one(std::size_t bytes) noexcept {
    return bytes == 0 ? 1 : bytes;
}

using enum operator_name;

/// Returns: an address in the function that called the operator with this frame.
const void* caller_of(const void* frame) noexcept {
    return static_cast<const void* const*>(frame)[1];
}

/// Effects: calls the program's own operator.
template <typename... Arguments>
void* new_by_next(const void* frame, operator_name which, std::size_t bytes, Arguments... arguments) {
    void* const of_library = next_operator(which, caller_of(frame));
    if (of_library == nullptr) {
        return no_operator(which);
    }
    return reinterpret_cast<void* (*)(std::size_t, Arguments...)>(of_library)(bytes, arguments...);
}

/// For operators of a library of the program, which may allocate in any way, and throw. For the standard library: malloc has
/// failed, so the new handlers and the exception are its task.
template <typename... Arguments>
[[gnu::noinline]] void* allocate_by_next(const void* frame, record_kind kind, operator_name which,
                                         std::size_t bytes, Arguments... arguments) {
    if (operators_are_usual()) {
        return new_by_next(frame, which, bytes, arguments...);
    }
    if (void* const block = event(frame).instead_of_library(kind, bytes)) {
        return block;
    }
    // No event is there meanwhile: an exception would leave it behind.
    void* const block = new_by_next(frame, which, bytes, arguments...);
    event(frame).came_from_library(kind, bytes, block);
    return block;
}

template <typename Allocate, typename... Arguments>
[[gnu::always_inline]] inline void* allocate(const void* frame, record_kind kind, operator_name which,
                                             std::size_t bytes, Allocate by_malloc, Arguments... arguments) {
    if (operators_are_usual()) [[likely]] {
        event now(frame);
        if (void* const block = now.allocated(kind, bytes, by_malloc)) [[likely]] {
            return block;
        }
    }
    return allocate_by_next(frame, kind, which, bytes, arguments...);
}

/// A new of usual alignment.
template <typename... Arguments>
[[gnu::always_inline]] inline void* new_usual(const void* frame, record_kind kind, operator_name which,
                                              std::size_t bytes, Arguments... arguments) {
    const auto by_malloc = [bytes] { return next().malloc(at_least_one(bytes)); };
    return allocate(frame, kind, which, bytes, by_malloc, arguments...);
}

/// A new of greater alignment.
template <typename... Arguments>
[[gnu::always_inline]] inline void* new_aligned(const void* frame, record_kind kind, operator_name which,
                                                std::size_t bytes, std::align_val_t alignment,
                                                Arguments... arguments) {
    const auto by_memalign = [bytes, alignment] {
        return next().memalign(static_cast<std::size_t>(alignment), at_least_one(bytes));
    };
    return allocate(frame, kind, which, bytes, by_memalign, alignment, arguments...);
}

/// For operators of a library of the program. They may free another block than the one that they are given, which is an event of
/// its own. So no event is there meanwhile.
template <typename... Arguments>
[[gnu::noinline]] void free_by_next(const void* frame, record_kind kind, operator_name which, void* block,
                                    Arguments... arguments) noexcept {
    if (event(frame).was_freed_instead_of_library(kind, block)) {
        return;
    }
    if (void* const of_library = next_operator(which, caller_of(frame))) {
        const void* const outer = deleted_by_library;
        deleted_by_library = block;
        reinterpret_cast<void (*)(void*, Arguments...)>(of_library)(block, arguments...);
        deleted_by_library = outer;
    } else {
        next().free(block);
    }
}

/// The sizes that come back are of no use to the system's free, and the libraries' operators do not look at them.
template <typename... Arguments>
[[gnu::always_inline]] inline void free_block(const void* frame, record_kind kind, operator_name which,
                                              void* block, Arguments... arguments) noexcept {
    if (operators_are_usual()) [[likely]] {
        event now(frame);
        now.freed(kind, block, [block] { next().free(block); });
        return;
    }
    free_by_next(frame, kind, which, block, arguments...);
}

} // namespace

#define MALLARD_OPERATOR __attribute__((visibility("default")))

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

MALLARD_OPERATOR void* operator new(size_t bytes) {
    return new_usual(MALLARD_FRAME, record_kind::new_object, new_object, bytes);
}
MALLARD_OPERATOR void* operator new[](size_t bytes) {
    return new_usual(MALLARD_FRAME, record_kind::new_array, new_array, bytes);
}
MALLARD_OPERATOR void* operator new(size_t bytes, const nothrow_t& nothrow) noexcept {
    return new_usual(MALLARD_FRAME, record_kind::new_object, new_object_nothrow, bytes, &nothrow);
}
MALLARD_OPERATOR void* operator new[](size_t bytes, const nothrow_t& nothrow) noexcept {
    return new_usual(MALLARD_FRAME, record_kind::new_array, new_array_nothrow, bytes, &nothrow);
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
