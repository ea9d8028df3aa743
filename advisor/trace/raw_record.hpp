/// The records of a chunk, as the recorded process writes them: fast to write, and each with a whole number of bytes.
///
///     event:   kind | ticks since the last record | levels kept | new levels | if none are kept: end, repeated levels
///              | new levels, the outermost first, 6 bytes each | fields of the kind
///     other:   kind | ticks since the last record | fields of the kind
///
/// Levels kept are the same calls as in the thread's preceding event. In the first event of a chunk all levels are written,
/// because a chunk is self-contained; the repeated levels are then the number of outer ones that are the same calls nevertheless.
/// Of a deep stack the middle is omitted: a level of 0, and the number of omitted levels. Repeated levels have the
/// gap for a reader that lacks the preceding chunk; a reader that has it knows them.
///
/// Numbers are LEB128: seven bits a byte, the lowest first. An address is the zigzag difference from the thread's last
/// address. Functions and frames each have a separate last address. The last addresses are 0 at the
/// start of a chunk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mallard::trace {

enum class record_kind : std::uint8_t {
    end = 0, ///< no more records in this chunk

    // Events with a stack. Fields: bytes requested, address.
    malloc = 1,
    calloc,
    realloc, ///< the new block of realloc; the end of the old block is the preceding `realloc_old`
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
    realloc_failed, ///< realloc returned null, so the old block is still allocated
    // Fields: number of the name.
    scope_begin = 24,
    scope_end,
    progress,
    // An instance of a scope that no thread owns. Fields: number of the instance.
    instance_begin,
    instance_end,
    instance_enter, ///< the thread starts working for the instance
    instance_leave,
    // Blocks of an allocator that an adaptor records. They may lie in blocks of malloc or of another pool, even at the same
    // address. The last field is the number of the pool.
    pool_allocated = 32, ///< bytes requested, address, pool
    pool_freed,          ///< address, pool
    pool_released,       ///< pool: all its blocks are freed
    pool_rolled_back, ///< allocations, pool: so many of the last allocations are undone; freed ones count, undone ones do not
    // Control calls: functions of malloc that neither allocate nor free. No fields; all of them are timed.
    malloc_trim = 36,
    mallinfo,
    mallinfo2,
    mallopt,

    // No stack.
    thread_begin =
        40, ///< absolute ticks, instead of those since the last record; the thread's number, its thread ID, and
            ///< the number of earlier records of this kind of the thread
    thread_end,
    code, ///< a loaded file: begin, end, load address, length and bytes of build-id, length and bytes of path
    name, ///< name of a scope, mark or pool: number, length, bytes
    time_inside, ///< ticks of the preceding event in the allocator, and in the recorder
    // Code compiled with -finstrument-functions. Fields: function, frame; both are addresses.
    function_enter,
    function_exit,
    gap, ///< the number of events of the thread that sampling skipped here
    /// Of a large block that is about to be freed, or that is live at the end: its resident share in 1/65,536, address.
    resident,
};

/// The end of a stack.
enum class stack_end : std::uint8_t {
    outermost,    ///< the outermost frame: the start of the program, of a thread, of a fiber
    null,         ///< at a return address of 0: the start of another fiber
    loader,       ///< in the dynamic loader, before main
    unknown_code, ///< no description covers the address: code generated at run time, or assembly without one
    unreadable,   ///< the stack is damaged, or the description is wrong
    too_deep,     ///< more levels than the recorder supports
};
inline constexpr std::size_t stack_ends = 6;

/// Returns: the name in profiles and messages.
constexpr const char* name(stack_end end) noexcept {
    constexpr std::array<const char*, stack_ends> names{"outermost",    "null",       "loader",
                                                        "unknown_code", "unreadable", "too_deep"};
    return names[static_cast<std::size_t>(end)];
}

/// Returns: true if no outer level is missing.
constexpr bool is_complete(stack_end end) noexcept {
    return end <= stack_end::loader;
}

/// Set in a level's address if the function was interrupted instead of calling another.
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

/// The lowest bits of the number of an instance or pool are the number of its name, or 0.
inline constexpr unsigned name_bits = 16;
inline constexpr std::uint64_t most_names = (std::uint64_t{1} << name_bits) - 1;
constexpr std::uint64_t name_number(std::uint64_t numbered) noexcept {
    return numbered & most_names;
}

/// A pool's block is different from a block of malloc or of another pool, even at the same address.
constexpr bool is_of_pool(record_kind kind) noexcept {
    return kind >= record_kind::pool_allocated && kind <= record_kind::pool_rolled_back;
}
constexpr bool is_of_instance(record_kind kind) noexcept {
    return kind >= record_kind::instance_begin && kind <= record_kind::instance_leave;
}
constexpr bool is_control(record_kind kind) noexcept {
    return kind >= record_kind::malloc_trim && kind <= record_kind::mallopt;
}
constexpr bool is_of_function(record_kind kind) noexcept {
    return kind == record_kind::function_enter || kind == record_kind::function_exit;
}

constexpr bool is_known(record_kind kind) noexcept {
    return allocates(kind) || (kind >= record_kind::free && kind <= record_kind::realloc_failed) ||
           (kind >= record_kind::scope_begin && kind <= record_kind::instance_leave) || is_of_pool(kind) ||
           is_control(kind) || (kind >= record_kind::thread_begin && kind <= record_kind::resident);
}

/// Returns: true if a reader of a trace gets the record as an event.
constexpr bool is_event(record_kind kind) noexcept {
    return is_known(kind) && kind != record_kind::code && kind != record_kind::name &&
           kind != record_kind::time_inside;
}

// The fields of an event, in order.
constexpr bool has_bytes(record_kind kind) noexcept {
    return allocates(kind) || kind == record_kind::pool_allocated || kind == record_kind::pool_rolled_back ||
           kind == record_kind::resident;
}
/// The address of a block.
constexpr bool has_address(record_kind kind) noexcept {
    return allocates(kind) || (kind >= record_kind::free && kind <= record_kind::realloc_failed) ||
           kind == record_kind::pool_allocated || kind == record_kind::pool_freed ||
           kind == record_kind::resident;
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
