/// The macro MALLARD_CHECKED decides the meaning of a mechanism's name.
///
///     MALLARD_CHECKED 0    mallard::multipool  is  mallard::unchecked::multipool, the mechanism
///     MALLARD_CHECKED 1    mallard::multipool  is  the mechanism with a registry of its blocks
///                                                  (impl/checking/checked_mechanism.hpp)
///
/// The exported CMake target defines it as 1 in the configuration Debug and as 0 in all others;
/// docs/library/checked.md describes the choice. It is a part of MALLARD_MODE (core/build_mode.hpp), and so of
/// each linker name: a function of a checked part of a program that is called from an unchecked part does not link.
#pragma once

#include <mallard/core/build_mode.hpp>

#if MALLARD_CHECKED
#include <mallard/impl/checking/checked_mechanism.hpp>
#endif

namespace mallard::checking { inline namespace MALLARD_MODE {

/// The base of the class that has a mechanism's name.
#if MALLARD_CHECKED
template <class Mechanism>
using by_default = checked_mechanism<Mechanism>;
#else
template <class Mechanism>
using by_default = Mechanism;
#endif

}} // namespace mallard::checking::MALLARD_MODE
