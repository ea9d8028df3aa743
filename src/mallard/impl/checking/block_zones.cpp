// Detects writes by patterns: in guard zones around a live block, and in a freed block.
#include "block_record.hpp"

#include <mallard/checking/misuse.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/sanitizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

namespace {

/// Differs from byte to byte, so that a moved zone does not look intact.
constexpr std::byte guard_byte(std::size_t i) noexcept {
    return static_cast<std::byte>(0xC3 + 5 * i);
}

/// Returns: the first byte that is not freed_byte; `bytes` if all are.
std::size_t first_changed(const std::byte* begin, std::size_t bytes) noexcept {
    // Compares each byte with its successor, and checks the first one: as fast as memory is.
    if (bytes == 0 || (begin[0] == freed_byte && std::memcmp(begin, begin + 1, bytes - 1) == 0)) {
        return bytes;
    }
    return static_cast<std::size_t>(
        std::find_if(begin, begin + bytes, [](std::byte b) { return b != freed_byte; }) - begin);
}

} // namespace

void block_registry::record::draw_guards() const noexcept {
    std::byte* const front = block - front_guard_bytes;
    std::byte* const back = block + bytes;
    core::unpoison(front, front_guard_bytes);
    core::unpoison(back, back_guard_bytes);
    for (std::size_t i = 0; i < front_guard_bytes; ++i) {
        front[i] = guard_byte(i);
    }
    for (std::size_t i = 0; i < back_guard_bytes; ++i) {
        back[i] = guard_byte(i);
    }
    core::poison(front, front_guard_bytes);
    core::poison(back, back_guard_bytes);
}

std::ptrdiff_t block_registry::record::changed_front_byte() const noexcept {
    const std::byte* const front = block - front_guard_bytes;
    core::unpoison(front, front_guard_bytes);
    for (std::size_t i = front_guard_bytes; i != 0; --i) {
        if (front[i - 1] != guard_byte(i - 1)) {
            return static_cast<std::ptrdiff_t>(i - 1) - front_guard_bytes;
        }
    }
    return 0;
}

std::ptrdiff_t block_registry::record::changed_back_byte() const noexcept {
    const std::byte* const back = block + bytes;
    core::unpoison(back, back_guard_bytes);
    std::size_t i = 0;
    while (i < back_guard_bytes && back[i] == guard_byte(i)) {
        ++i;
    }
    return static_cast<std::ptrdiff_t>(bytes + i);
}

void block_registry::record::report_write(misuse kind, allocator_call by,
                                          std::ptrdiff_t changed_byte) const noexcept {
    misuse_report write = report(kind, by);
    write.changed_byte = changed_byte;
    report_misuse(write);
}

void block_registry::record::look_at_guards(allocator_call by) const noexcept {
    if (const std::ptrdiff_t changed = changed_front_byte(); changed != 0) {
        report_write(misuse::write_before_start, by, changed);
    }
    if (const std::ptrdiff_t changed = changed_back_byte(); changed != end_of_guards()) {
        report_write(misuse::write_past_end, by, changed);
    }
    draw_guards();
}

void block_registry::record::fill() const noexcept {
    core::unpoison(block, bytes);
    std::memset(block, std::to_integer<int>(freed_byte), bytes);
    core::poison(block, bytes);
    draw_guards();
}

void block_registry::record::look_at_filling(allocator_call by) const noexcept {
    core::unpoison(block, bytes);
    const auto within = first_changed(block, bytes);
    const std::ptrdiff_t front = changed_front_byte();
    const std::ptrdiff_t back = changed_back_byte();
    if (within != bytes) {
        report_write(misuse::write_after_free, by, static_cast<std::ptrdiff_t>(within));
    } else if (front != 0) {
        report_write(misuse::write_after_free, by, front);
    } else if (back != end_of_guards()) {
        report_write(misuse::write_after_free, by, back);
    } else {
        core::poison(block, bytes);
        return;
    }
    fill();
}

}} // namespace mallard::checking::MALLARD_LIBRARY
