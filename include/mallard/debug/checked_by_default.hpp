/// Whether the names of the mechanisms stand for checked ones: the macro MALLARD_CHECKED, and what follows
/// from it.
///
///     MALLARD_CHECKED 0    mallard::multipool  is  mallard::unchecked::multipool, the mechanism itself
///     MALLARD_CHECKED 1    mallard::multipool  is  mallard::checked_by_default::multipool, the same with
///                                                  books of its blocks (debug/checked_calls.hpp)
///
/// The exported CMake target defines it as 1 in the configuration Debug and as 0 in all others;
/// docs/checked.md tells how to choose. Both namespaces are inline where their names are the plain ones, so
/// they are part of each type's linker name: objects of both kinds in one program are different types, and a
/// function that is given one where it expects the other is not found by the linker.
///
/// A mechanism is written between MALLARD_UNCHECKED_BEGIN and MALLARD_NAMESPACE_END; deduction guides, which
/// have to stand beside the name that they are for, between MALLARD_BY_DEFAULT_BEGIN and the same end.
#pragma once

#ifndef MALLARD_CHECKED
#define MALLARD_CHECKED 0
#endif

#if MALLARD_CHECKED
#define MALLARD_UNCHECKED_BEGIN namespace unchecked {
#define MALLARD_BY_DEFAULT_BEGIN inline namespace checked_by_default {
#else
#define MALLARD_UNCHECKED_BEGIN inline namespace unchecked {
#define MALLARD_BY_DEFAULT_BEGIN inline namespace unchecked {
#endif
#define MALLARD_NAMESPACE_END }
