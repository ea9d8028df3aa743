/// The entry of .eh_frame that describes the function at an address.
///
/// Data model: `.eh_frame_hdr` is a table of (first address, entry), sorted by address, written by the linker. Each
/// entry refers to a common entry, which many share.
/// Source: Linux Standard Base 5, sections 10.6 and 10.7.
#pragma once

#include "recorder/system/byte_cursor.hpp"

#include <cstdint>

namespace mallard::recorder::unwind {

/// The instructions of one function's rows, in two parts.
struct frame_description {
    address begin = 0;
    address end = 0;
    const std::uint8_t* initial_begin = nullptr;
    const std::uint8_t* initial_end = nullptr;
    const std::uint8_t* instructions_begin = nullptr;
    const std::uint8_t* instructions_end = nullptr;
    std::uint64_t code_alignment = 1;
    std::int64_t data_alignment = 1;
    std::uint8_t pointer_encoding = absolute;
    std::uint8_t return_register = 0;
    /// True if each entry has the length of the data in front of its instructions.
    bool sized_augmentation = false;
    /// True for the trampoline to which a signal handler returns. The frame outside was interrupted and called nothing.
    bool signal_frame = false;
};

/// Returns: true if `header` (.eh_frame_hdr) leads to an entry whose function has `pc`; stores the entry in `result`.
/// Complexity: O(log n) for n functions.
bool find_in_header(const std::uint8_t* header, const std::uint8_t* end, address pc,
                    frame_description& result) noexcept;

/// Effects: sets [range_begin, range_end) to the smallest range with all functions of the section; empty if it has none.
/// Complexity: O(n).
void section_range(const std::uint8_t* section, const std::uint8_t* end, address& range_begin,
                   address& range_end) noexcept;

/// Returns: true if the section of entries at `section` has one for `pc`; stores the entry in `result`.
/// Complexity: O(n).
bool find_in_section(const std::uint8_t* section, const std::uint8_t* end, address pc,
                     frame_description& result) noexcept;

} // namespace mallard::recorder::unwind
