/// Files of the program with marks: each has a pointer to the recorder's functions, and a note with its location.
///
/// The dynamic linker sets the pointer, unless the static linker resolved the program's weak symbol to null. Symbols of
/// libraries that are loaded later are always looked up.
#pragma once

#include <mallard/record/scope.hpp>

namespace mallard::recorder {

/// Effects: sets the pointers of all loaded files. A program with a built-in recorder is recorded by the preloaded
/// one.
/// Requires: `to` outlives the process.
void connect_marked_files(const record::functions& to) noexcept;

} // namespace mallard::recorder
