#include "../platform/code_location.hpp"

#include <mallard/checking/misuse.hpp>
#include <mallard/core/cancellation.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <source_location>
#include <span>
#include <string_view>

namespace mallard { inline namespace MALLARD_LIBRARY {

namespace {

std::atomic<misuse_handler> installed_misuse_handler{nullptr};

/// So that a report has more than one function, whatever their template arguments are.
constexpr int most_characters_of_a_function = 500;

/// By allocator_call.
constexpr std::array call_names{
    "nobody",         "allocate()", "deallocate()",       "resize_last()", "expand()", "shrink()",
    "usable_bytes()", "release()",  "rewind()",           "rollback()",    "trim()",   "tidy()",
    "adopt()",        "check()",    "expect_all_freed()", "the destructor"};
static_assert(call_names.size() == static_cast<std::size_t>(allocator_call::destructor) + 1);

/// Returns: true for the linker's name of a function of the library or of the standard library, which a program calls
/// to allocate.
bool serves_containers(const char* function) noexcept {
    std::string_view name = function == nullptr ? "" : function;
    if (!name.starts_with("_Z")) {
        return false;
    }
    name.remove_prefix(2);
    name.remove_prefix(
        std::min(name.find_first_not_of('Z'), name.size())); // what is local to a function of these
    if (name.starts_with('N')) {
        name.remove_prefix(1);
        name.remove_prefix(std::min(name.find_first_not_of("rVKRO"), name.size()));
    }
    const bool is_standard = name.size() > 1 && name[0] == 'S' && std::strchr("tabsiod", name[1]) != nullptr;
    return is_standard || name.starts_with("9__gnu_cxx") || name.starts_with("7mallard");
}

} // namespace

const char* call_name(allocator_call call) noexcept {
    return call_names[static_cast<std::size_t>(call)];
}

misuse_text::misuse_text(const misuse_report& report) noexcept {
    append("mallard: ");
    append_description(report);
    append_where(report);
}

void misuse_text::append(const char* format, ...) noexcept {
    std::va_list values;
    va_start(values, format);
    const int wanted = std::vsnprintf(text_ + length_, room - length_, format, values);
    va_end(values);
    // A text longer than the room is cut off.
    length_ = std::min(room - 1, length_ + static_cast<std::size_t>(std::max(wanted, 0)));
}

void misuse_text::append_block(const misuse_report& report) noexcept {
    append("block %p of ", report.block);
    if (report.spare_bytes != 0) {
        append("%zu to ", report.bytes - report.spare_bytes);
    }
    append("%zu bytes at alignment %zu", report.bytes, report.alignment);
}

void misuse_text::append_description(const misuse_report& report) noexcept {
    switch (report.kind) {
    case misuse::double_free:
        append("double free: ");
        append_block(report);
        append(" was already deallocated");
        if (report.ended_before != allocator_call::none) {
            append(", perhaps as an earlier block at this address, which was ended by %s",
                   call_name(report.ended_before));
        }
        break;
    case misuse::wrong_size:
        append("wrong size: ");
        append_block(report);
        append(" was passed to %s as a block of %zu bytes", call_name(report.detected_by),
               report.passed_bytes);
        break;
    case misuse::wrong_alignment:
        append("wrong alignment: ");
        append_block(report);
        append(" was passed to %s as a block at alignment %zu", call_name(report.detected_by),
               report.passed_alignment);
        break;
    case misuse::foreign_pointer:
        append("foreign pointer: %p, passed to %s", report.passed_block, call_name(report.detected_by));
        if (report.passed_alignment != 0) {
            append(" as a block of %zu bytes at alignment %zu", report.passed_bytes, report.passed_alignment);
        }
        append(", ");
        if (report.block == nullptr) {
            append("is not a block of this allocator");
        } else {
            append("lies %td bytes into ",
                   static_cast<const char*>(report.passed_block) - static_cast<const char*>(report.block));
            append_block(report);
        }
        break;
    case misuse::write_past_end:
    case misuse::write_before_start:
        append("write %s: byte %td of ",
               report.kind == misuse::write_past_end ? "past the end" : "before the start",
               report.changed_byte);
        append_block(report);
        append(" was overwritten, found by %s", call_name(report.detected_by));
        break;
    case misuse::write_after_free:
        append("write after free: byte %td of ", report.changed_byte);
        append_block(report);
        append(" was overwritten after its deallocation, found by %s", call_name(report.detected_by));
        break;
    case misuse::use_after_free:
        append("use after free: ");
        append_block(report);
        append(" was already deallocated and is passed to %s", call_name(report.detected_by));
        break;
    case misuse::use_after_release: {
        const char* const by = call_name(report.ended_by);
        append("use after %.*s: ", static_cast<int>(std::strcspn(by, "(")), by);
        append_block(report);
        append(" was ended by %s and is passed to %s", by, call_name(report.detected_by));
        if (report.ended_by == allocator_call::rollback) {
            append("; what is older than a checkpoint must not grow within it");
        }
        break;
    }
    case misuse::released_below: {
        const char* const by = call_name(report.ended_by);
        const bool ended = report.ended_by == allocator_call::destructor;
        append("%.*s under a live allocator: ", ended ? 3 : static_cast<int>(std::strcspn(by, "(")),
               ended ? "end" : by);
        append_block(report);
        append(" lies in memory that the upstream took back by %s while this allocator held it, found by %s",
               by, call_name(report.detected_by));
        break;
    }
    case misuse::foreign_mark:
        append("foreign mark: %s received a mark of another allocator", call_name(report.detected_by));
        break;
    case misuse::stale_mark:
        append("stale mark: %s received a mark from before a call of %s%s", call_name(report.detected_by),
               call_name(report.ended_by),
               report.ended_by == allocator_call::rollback ? " with an earlier mark" : "");
        break;
    case misuse::concurrent_use:
        append("concurrent use: %s was called while another thread was in %s of the same allocator, which "
               "serves "
               "one thread at a time",
               call_name(report.detected_by), call_name(report.other_call));
        break;
    case misuse::destroyed_allocator:
        append("destroyed allocator: %s was called after the allocator's destructor",
               call_name(report.detected_by));
        break;
    case misuse::no_allocator:
        append("no allocator: %s was called of memory that holds no checked allocator: it is not constructed "
               "yet, overwritten, or made by a part of the program that was compiled without checks",
               call_name(report.detected_by));
        break;
    case misuse::null_allocator:
        append("null allocator: a container is bound to a null pointer");
        break;
    case misuse::never_freed:
        append("never freed: ");
        append_block(report);
        append(", the first of %zu such blocks with %zu bytes in all, found by %s", report.live_blocks,
               report.live_bytes, call_name(report.detected_by));
        break;
    }
    append("\n");
}

void misuse_text::append_where(const misuse_report& report) noexcept {
    if (report.block == nullptr) {
        if (!report.stack.empty()) {
            append("    called by\n");
            append_stack(report.stack);
        }
        return;
    }
    if (report.place != nullptr) {
        append("    allocated at %s:%u in %s\n", report.place->file_name(),
               static_cast<unsigned>(report.place->line()), report.place->function_name());
    } else if (!report.stack.empty()) {
        append("    allocated by\n");
        append_stack(report.stack);
    } else {
        append("    allocated at an unnamed place; name it with mallard::allocation_site\n");
    }
}

void misuse_text::append_stack(std::span<void* const> stack) noexcept {
    const core::cancellation_disabled meanwhile;
    platform::code_finder code;
    std::size_t first = 0;
    while (first < stack.size() && serves_containers(code.find(stack[first]).function)) {
        ++first;
    }
    // Without a function of the program, what is known is better than nothing.
    for (void* const address : stack.subspan(first == stack.size() ? 0 : first)) {
        const platform::code_location at = code.find(address);
        if (at.file == nullptr) {
            append("        %p\n", address);
            continue;
        }
        char* const readable = at.function == nullptr ? nullptr : platform::demangle(at.function);
        const char* const function = readable != nullptr ? readable : at.function;
        append("        %.*s%s(%s+%#zx)\n", most_characters_of_a_function,
               function == nullptr ? "" : function, function == nullptr ? "" : " ", at.file,
               static_cast<std::size_t>(at.offset));
        std::free(readable);
    }
}

misuse_handler set_misuse_handler(misuse_handler handler) noexcept {
    return installed_misuse_handler.exchange(handler);
}

void report_misuse(const misuse_report& report) noexcept {
    const core::cancellation_disabled meanwhile;
    if (misuse_handler handler = installed_misuse_handler.load()) {
        handler(report);
        return;
    }
    std::fputs(misuse_text(report).c_str(), stderr);
    std::abort();
}

}} // namespace mallard::MALLARD_LIBRARY
