/// The macro MALLARD_CHECKED decides the meaning of a mechanism's name.
///
///     MALLARD_CHECKED 0    mallard::multipool  is  mallard::unchecked::multipool, the mechanism
///     MALLARD_CHECKED 1    mallard::multipool  is  the mechanism with a registry of its blocks
///                                                  (impl/checking/checked_mechanism.hpp)
///
/// The exported CMake target defines it as 1 in the configuration Debug and as 0 in all others;
/// docs/library/checked.md describes the choice. It is a part of MALLARD_MODE (core/build_mode.hpp), and so of
/// each linker name: a function of a checked part of a program that is called from an unchecked part does not link.
///
/// The name of a class with an allocator as a member is the same in both parts, and its size is not. So a file that
/// includes a mechanism defines a byte that is thread_local if the file is checked, and constant if not. GNU ld and gold
/// refuse two such definitions of a name, mold warns of them, lld does neither:
///
///     ld: mallard_parts_differ_in_MALLARD_CHECKED: TLS definition in client.o section .tbss mismatches non-TLS
///     reference in server.o
///
/// The byte is all that it costs: no code refers to it. Files that include the bindings alone define none, because a
/// resource is the same in both. MALLARD_ALLOW_MISMATCH=1 leaves it out, for a part of a program that keeps its
/// allocators to itself.
#pragma once

#include <mallard/core/build_mode.hpp>

#if MALLARD_CHECKED
#include <mallard/impl/checking/checked_mechanism.hpp>
#endif

#if defined(__ELF__) && MALLARD_THREADS && !MALLARD_ALLOW_MISMATCH
extern "C" { // a linker prints the name as it is
// NOLINTBEGIN(readability-identifier-naming): with the name of the macro
#if MALLARD_CHECKED
[[gnu::used]] inline constinit thread_local const char mallard_parts_differ_in_MALLARD_CHECKED = 0;
#else
[[gnu::used]] inline constexpr char mallard_parts_differ_in_MALLARD_CHECKED = 0;
#endif
// NOLINTEND(readability-identifier-naming)
}
#endif

namespace mallard::checking { inline namespace MALLARD_MODE {

#if MALLARD_CHECKED
/// The base of the class that has a mechanism's name.
template <class Mechanism>
using by_default = checked_mechanism<Mechanism>;
#else
template <class Mechanism>
using by_default = Mechanism;
#endif

}} // namespace mallard::checking::MALLARD_MODE
