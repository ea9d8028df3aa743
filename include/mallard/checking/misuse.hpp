/// Misuse of an allocator: the report, and its handler.
///
/// The report points into the registry of the allocator, so it is valid as long as the handler runs.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>

namespace mallard { inline namespace MALLARD_LIBRARY {

enum class misuse : std::uint8_t {
    double_free,
    wrong_size,
    wrong_alignment,
    foreign_pointer,    ///< a call with a pointer that is not a block of this allocator
    write_past_end,     ///< found by the contents of the guard zone, at a later call
    write_before_start, ///< found by the contents of the guard zone, at a later call
    write_after_free,   ///< found when the block leaves the quarantine, or by check()
    use_after_free,     ///< a call other than a deallocation, with a deallocated block
    use_after_release,  ///< a call with a block that a release, a rewind or a rollback has ended
    released_below, ///< an upstream that was released, rewound or rolled back before the allocator over it
    foreign_mark,   ///< a rollback to a mark of another allocator
    stale_mark, ///< a rollback to a mark that a release, a rewind or a rollback to an earlier mark made invalid
    concurrent_use, ///< a call while another thread was in one, of an allocator that serves one thread at a time
    destroyed_allocator, ///< a call after the allocator's destructor
    no_allocator,        ///< a call of memory that holds no checked allocator
    null_allocator,      ///< a binding to a null pointer
    never_freed,         ///< reported only by expect_all_freed() and expect_all_freed_at_end()
};

/// The calls of an allocator that a report names.
enum class allocator_call : std::uint8_t {
    none,
    allocate, ///< takes blocks out of the quarantine before it fails
    deallocate,
    resize_last,
    expand,
    shrink,
    usable_bytes,
    release,
    rewind,
    rollback,
    trim,
    tidy,
    adopt,
    check,
    expect_all_freed,
    destructor,
};

/// Returns: the call's name with its parentheses.
[[nodiscard]] const char* call_name(allocator_call call) noexcept;

struct misuse_report {
    misuse kind = misuse::foreign_pointer;
    allocator_call detected_by = allocator_call::none;

    /// The misused block, as it was allocated. Of a foreign pointer the block that it points into; null if there
    /// is none.
    const void* block = nullptr;
    std::size_t bytes = 0;
    std::size_t spare_bytes = 0; ///< bytes beyond the request, a part of `bytes`
    std::size_t alignment = 0;

    /// The arguments of the call that found the misuse; an alignment of 0 if it passes none.
    const void* passed_block = nullptr;
    std::size_t passed_bytes = 0;
    std::size_t passed_alignment = 0;

    /// Of a write: the changed byte nearest to the block, counted from the block's first.
    std::ptrdiff_t changed_byte = 0;
    /// Of a use after a release: the call that ended the block. Of a release below: the upstream's call. Of a
    /// stale mark: the call that made it stale.
    allocator_call ended_by = allocator_call::none;
    /// Of a double free: the call that ended an earlier block of this size at this address, if it was a release, a
    /// rewind or a rollback. One of the two deallocations may be its.
    allocator_call ended_before = allocator_call::none;
    /// Of a concurrent use: the other thread's call, as far as that can be told.
    allocator_call other_call = allocator_call::none;
    /// Of blocks never freed: their number and bytes. `block` is the oldest.
    std::size_t live_blocks = 0;
    std::size_t live_bytes = 0;

    /// The place of the allocation: named by the program, or the return addresses on the stack, innermost first,
    /// or neither (checking/allocation_site.hpp). Of a misuse of the allocator itself: the stack of the call.
    const std::source_location* place = nullptr;
    // So that g++ lets a designated initialiser leave it out. NOLINTNEXTLINE(readability-redundant-member-init)
    std::span<void* const> stack{};
};

/// The text of a report, several lines. Nothing is allocated, unless a stack is printed.
class misuse_text {
public:
    explicit misuse_text(const misuse_report& report) noexcept;

    [[nodiscard]] const char* c_str() const noexcept { return text_; }

private:
    [[gnu::format(MALLARD_FORMAT, 2, 3)]] void append(const char* format, ...) noexcept;
    void append_block(const misuse_report& report) noexcept;
    void append_description(const misuse_report& report) noexcept;
    void append_where(const misuse_report& report) noexcept;
    void append_stack(std::span<void* const> stack) noexcept;

    static constexpr std::size_t room = 8192;
    std::size_t length_ = 0;
    char text_[room] = {};
};

/// Called with each misuse, possibly under the lock of the allocator, which it must not use. If it returns, the program
/// goes on: a pointer to no live block is ignored, a wrong size or alignment corrected, an overwritten zone or fill
/// rewritten, another thread let in. A call of memory that holds no allocator aborts the program all the same.
using misuse_handler = void (*)(const misuse_report& report) noexcept;

/// Effects: installs `handler` for this copy of the library. nullptr, as at the start, writes the text of the report to
/// the standard error output and aborts the program.
/// Returns: the previous handler.
misuse_handler set_misuse_handler(misuse_handler handler) noexcept;

/// Effects: calls the handler, or writes the report and aborts without a handler.
void report_misuse(const misuse_report& report) noexcept;

}} // namespace mallard::MALLARD_LIBRARY
