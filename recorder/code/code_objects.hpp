/// The loaded files, and the code that the program made itself, by address.
#pragma once

#include "recorder/dwarf/byte_cursor.hpp"
#include "recorder/dwarf/frame_description.hpp"

#include <cstdint>

struct link_map;

namespace mallard::recorder::unwind {

struct code_object {
    address begin = 0;
    address end = 0;
    const std::uint8_t* frame_header = nullptr;
    const link_map* map = nullptr;
};

/// Returns: true if a loaded file has `pc`; then `found` is that file.
/// Complexity: O(log n) for n files. No lock is taken, so it may be called inside of dlopen and of signal handlers.
bool object_at(address pc, code_object& found) noexcept;

/// Returns: true if `pc` is in the dynamic loader.
bool in_loader(address pc) noexcept;

/// Returns: true if `.eh_frame` of a loaded file or a registered section describes the function at `pc`.
bool description_at(address pc, frame_description& found) noexcept;

/// Effects: remembers a section of entries that code made at run time brings along (__register_frame). The program names it
/// by `owner`. If too many are there, it is left out.
/// Requires: the section is complete.
void add_section(const std::uint8_t* section, const void* owner) noexcept;

/// Effects: forgets the sections of that owner.
void remove_sections(const void* owner) noexcept;

} // namespace mallard::recorder::unwind
