/// Files of the program that have marks: each has a pointer to the recorder's functions, and a note that says where.
///
/// The dynamic linker sets the pointer, unless the file was linked by a linker that takes weak symbols of a program for
/// null. Libraries that are loaded later always have their symbols looked up.
#pragma once

#include "include/mallard/record/scope.hpp"

namespace mallard::recorder {

/// Effects: sets the pointers of all loaded files. A program that has a recorder in it is recorded by the one that was
/// preloaded.
/// Requires: `to` stays as long as the process.
void connect_marked_files(const record::functions& to) noexcept;

} // namespace mallard::recorder
