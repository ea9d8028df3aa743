/// The loaded files, and the code that the program generated at run time, by address.
#pragma once

#include "recorder/dwarf/frame_description.hpp"
#include "recorder/system/byte_cursor.hpp"

#include <atomic>
#include <cstdint>

struct link_map;

namespace mallard::recorder::unwind {

struct code_object {
    address begin = 0;
    address end = 0;
    const std::uint8_t* frame_header = nullptr;
    const link_map* map = nullptr;
};

/// Returns: true if a loaded file covers `pc`; stores the file in `object`.
/// Complexity: O(log n) for n files. Takes no lock, so it may be called inside of dlopen and signal handlers.
bool object_at(address pc, code_object& object) noexcept;

/// Returns: true if `pc` is in the dynamic loader.
bool in_loader(address pc) noexcept;

/// Returns: true if `.eh_frame` of a loaded file or a registered section describes the function at `pc`.
bool description_at(address pc, frame_description& result) noexcept;

/// Effects: adds the section of entries that a JIT compiler registers (__register_frame). `owner` is the program's key for it.
/// If the table is full, the section is ignored.
/// Requires: the section is complete.
void add_section(const std::uint8_t* section, const void* owner) noexcept;

/// Effects: removes the sections of `owner`.
void remove_sections(const void* owner) noexcept;

} // namespace mallard::recorder::unwind

namespace mallard::recorder {

/// Detects that files were unloaded, by any means: the rules of their code are invalid then.
///
/// dlclose from the program could be intercepted. But libc unloads modules itself, for character sets and for user names,
/// and calls no function that another library can replace. The loader frees its own data through the program's free
/// each time, after it has unmapped the file and before it loads anything else.
class unloads {
public:
    /// Effects: finds the loader.
    void begin() noexcept;

    /// Returns: true if a call that returns to `return_address` comes from the loader.
    [[nodiscard]] bool from_loader(unwind::address return_address) const noexcept {
        return return_address - loader_ < loader_bytes_;
    }

    /// Returns: true if files were unloaded since the last call that returned true.
    bool happened() noexcept;

private:
    unwind::address loader_ = 0;
    unwind::address loader_bytes_ = 0;
    std::atomic<std::uint64_t> seen_{0};
};

} // namespace mallard::recorder
