/// The records of a chunk, as the recorded process writes them: fast to write, and each with a whole number of bytes.
///
///     event:   kind | ticks since the last record | levels kept | new levels | if none are kept: end, same levels
///              | new levels, the outermost first, 6 bytes each | fields of the kind
///     others:  kind | ticks since the last record | fields of the kind
///
/// Levels kept are the same calls as at the thread's event before. At the first event of a chunk all levels are new,
/// because a chunk stands alone; the same levels are then as many outer ones that are the same calls nevertheless. Of many
/// levels the middle is left out: a level of 0, and the number of those that are missing. Levels that are the same have the
/// gap for a reader that lacks the chunk before; one that has it knows them.
///
/// Numbers are LEB128: seven bits a byte, the lowest ones first. An address is the zigzag difference from the last
/// address of the thread. Functions and frames each have a last address of their own. The last ones are 0 at the
/// beginning of a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mallard::trace {

enum class record_kind : std::uint8_t {
    end = 0, ///< no more records in this chunk

    // Events with a stack. Fields: bytes requested, address.
    malloc = 1,
    calloc,
    realloc, ///< the block that realloc gave; its old block went with `realloc_old` before
    aligned, ///< memalign, aligned_alloc, posix_memalign, valloc, pvalloc
    new_object,
    new_array,
    aligned_new_object,
    aligned_new_array,
    // Fields: address.
    free = 16,
    delete_object,
    delete_array,
    realloc_old,
    realloc_failed, ///< realloc gave nothing, so the old block is still there
    // Fields: number of the name.
    scope_begin = 24,
    scope_end,
    progress,
    // An instance of a scope that no thread owns. Fields: number of the instance.
    instance_begin,
    instance_end,
    instance_enter, ///< the thread works for the instance from now on
    instance_leave,
    // Blocks of a mechanism that an adaptor records. They may lie in blocks of malloc or of another pool, at the same
    // address too. The last field is the number of the pool.
    pool_allocated = 32, ///< bytes requested, address, pool
    pool_freed,          ///< address, pool
    pool_released,       ///< pool: all its blocks are gone
    pool_rolled_back, ///< allocations, pool: so many of its last ones are undone; freed ones count, undone ones no more

    // No stack.
    thread_begin =
        40, ///< instead of ticks since the last record: all of them; thread's number, system's number of it, and
            ///< as many records of this kind as the thread has written before
    thread_end,
    code, ///< a loaded file: begin, end, load address, length and bytes of build-id, length and bytes of path
    name, ///< of a scope, mark or pool: number, length, bytes
    time_inside, ///< ticks that the allocator took for the event before, and those that the recorder took
    // Code compiled with -finstrument-functions. Fields: function, frame; both are addresses.
    function_enter,
    function_exit,
    gap, ///< the number of events of the thread that sampling left out here
};

/// How a stack ends.
enum class stack_end : std::uint8_t {
    outermost,    ///< where no call came from: the start of the program, of a thread, of a fiber
    null,         ///< at a return address of 0: the start of another fiber
    loader,       ///< in the dynamic loader, before main
    unknown_code, ///< no description has the address: code made at run time, or assembly without one
    unreadable,   ///< the stack is damaged, or its description is wrong
    too_deep,     ///< more levels than there is room for
};
inline constexpr std::size_t stack_ends = 6;

/// Returns: true if nothing is missing outside of the stack's end.
constexpr bool is_complete(stack_end end) noexcept {
    return end <= stack_end::loader;
}

/// A level's address has this bit if the function there was interrupted, and called nothing.
inline constexpr std::uint64_t interrupted_level = std::uint64_t{1} << 47;
inline constexpr std::size_t level_bytes = 6;

/// The most bytes of an event without its levels.
inline constexpr std::size_t most_event_bytes = 64;

constexpr bool has_stack(record_kind kind) noexcept {
    return kind >= record_kind::malloc && kind < record_kind::thread_begin;
}
constexpr bool allocates(record_kind kind) noexcept {
    return kind >= record_kind::malloc && kind <= record_kind::aligned_new_array;
}
constexpr bool frees(record_kind kind) noexcept {
    return kind >= record_kind::free && kind <= record_kind::realloc_old;
}

/// The lowest bits of the number of an instance or pool are the number of its name. It is 0 for one without a name.
inline constexpr unsigned name_bits = 16;
inline constexpr std::uint64_t most_names = (std::uint64_t{1} << name_bits) - 1;
constexpr std::uint64_t name_of(std::uint64_t numbered) noexcept {
    return numbered & most_names;
}

/// A block of a pool is another block than that of malloc or of another pool, also where the address is the same.
constexpr bool is_of_pool(record_kind kind) noexcept {
    return kind >= record_kind::pool_allocated && kind <= record_kind::pool_rolled_back;
}
constexpr bool is_of_instance(record_kind kind) noexcept {
    return kind >= record_kind::instance_begin && kind <= record_kind::instance_leave;
}
constexpr bool is_of_function(record_kind kind) noexcept {
    return kind == record_kind::function_enter || kind == record_kind::function_exit;
}

constexpr bool is_known(record_kind kind) noexcept {
    return allocates(kind) || (kind >= record_kind::free && kind <= record_kind::realloc_failed) ||
           (kind >= record_kind::scope_begin && kind <= record_kind::instance_leave) || is_of_pool(kind) ||
           (kind >= record_kind::thread_begin && kind <= record_kind::gap);
}

/// Returns: true if a reader of a trace is given the record as an event, and not with other things.
constexpr bool is_event(record_kind kind) noexcept {
    return is_known(kind) && kind != record_kind::code && kind != record_kind::name &&
           kind != record_kind::time_inside;
}

// The fields of an event with a stack, in their order.
constexpr bool has_bytes(record_kind kind) noexcept {
    return allocates(kind) || kind == record_kind::pool_allocated || kind == record_kind::pool_rolled_back;
}
/// The address of a block.
constexpr bool has_address(record_kind kind) noexcept {
    return allocates(kind) || (kind >= record_kind::free && kind <= record_kind::realloc_failed) ||
           kind == record_kind::pool_allocated || kind == record_kind::pool_freed;
}
/// The number of a name or an instance.
constexpr bool has_number(record_kind kind) noexcept {
    return kind >= record_kind::scope_begin && kind <= record_kind::instance_leave;
}

constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
    return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t from_zigzag(std::uint64_t value) noexcept {
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

/// Requires: `to` has room for ten bytes.
inline std::byte* write_number(std::byte* to, std::uint64_t value) noexcept {
    while (value >= 0x80) {
        *to++ = static_cast<std::byte>(value | 0x80);
        value >>= 7;
    }
    *to++ = static_cast<std::byte>(value);
    return to;
}

/// Requires: `to` has room for the text, and for ten bytes.
inline std::byte* write_text(std::byte* to, const void* text, std::size_t bytes) noexcept {
    to = write_number(to, bytes);
    if (bytes != 0) {
        std::memcpy(to, text, bytes);
    }
    return to + bytes;
}

/// Requires: `to` has room for eight bytes.
inline std::byte* write_level(std::byte* to, std::uint64_t level) noexcept {
    std::memcpy(to, &level, sizeof level);
    return to + level_bytes;
}

} // namespace mallard::trace
