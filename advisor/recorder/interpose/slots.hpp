/// The slots of the loaded files through which a program calls the functions that the recorder interposes.
///
/// A library that is loaded late does not precede the program's functions, so `mallard record --pid` writes the recorder's
/// functions to the slots of all files: JUMP_SLOT, GLOB_DAT and 64-bit relocations.
///
/// Invariants: a slot is changed only where it holds the program's own function, or the unresolved entry of its file. It gets
/// the program's function back. A slot in a page that the loader protects after relocation (RELRO) is changed only while the
/// page is protected: before, the loader is still at work.
/// Not thread-safe: one thread patches and restores.
#pragma once

namespace mallard::recorder {

/// Effects: finds the program's functions, and those of the recorder, which are all that its library exports.
/// Returns: false if the system cannot report whether a page is writable.
bool find_slot_functions() noexcept;

/// Effects: directs all slots to the recorder.
/// Returns: false if files are still being relocated. Their slots need another call.
bool patch_slots() noexcept;

/// Effects: directs all slots to the program's functions.
void restore_slots() noexcept;

/// The number of files that were loaded, and of those that were unloaded, since the program's start.
struct file_counts {
    unsigned long long loaded = 0;
    unsigned long long unloaded = 0;
    static file_counts read() noexcept;
    bool operator==(const file_counts&) const noexcept = default;
};

} // namespace mallard::recorder
