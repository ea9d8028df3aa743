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
#include <mallard/impl/checking/tombstone.hpp>
#endif

namespace mallard::checking { inline namespace MALLARD_MODE {

#if MALLARD_CHECKED
/// The base of the class that has a mechanism's name.
template <class Mechanism>
using by_default = checked_mechanism<Mechanism>;

/// The base of a resource: a call of one that is destroyed is reported.
template <class Base>
using resource_by_default = resource_with_tombstone<Base>;
#else
template <class Mechanism>
using by_default = Mechanism;

template <class Base>
using resource_by_default = Base;
#endif

}} // namespace mallard::checking::MALLARD_MODE
