/// Common functions of the toys: each prints its marks, a word for each, in the format in which the test prints those of the
/// trace.
///
///     +name scope begins     -name scope ends     !name progress     1234 a block of 1234 bytes
///     *name instance begins  >name enters         <name leaves       ~name ends
#pragma once

#include <cstddef>

namespace toy {

/// Effects: prints the word; needs no heap.
void say(const char* sign, const char* name = "");

/// Effects: allocates and frees a block of that size, and prints the size.
void use(std::size_t bytes);

/// Effects: allocates and frees a block of that size.
void touch(std::size_t bytes);

void nested();
void exceptions();
void jumps();
void threads();
void hops();
void plug_in(const char* path);
void forks();
void signals();
void many_names();
void pools();
[[noreturn]] void killed();

} // namespace toy
