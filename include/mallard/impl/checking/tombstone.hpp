/// What a destroyed std::pmr::memory_resource of a checked build leaves in its memory.
///
///     resource<A>  ->  resource_with_tombstone:  [ tombstone, empty | Base: vtable, front, .. ]
///
/// Data model: a destroyed resource has the vtable of std::pmr::memory_resource, whose calls are pure virtual: the program
/// ends without a word. The tombstone is the first base, so its destructor runs last, and makes a resource in the place of
/// the vtable whose calls report the misuse.
/// Invariant: the tombstone and the vtable have the same address, as in the Itanium C++ ABI. Elsewhere there is none.
/// A resource has the same layout in every mode.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

/// Effects: makes a resource at `place` whose calls report a destroyed allocator and abort the program.
void make_tombstone(void* place) noexcept;

class tombstone {
public:
    tombstone(const tombstone&) = delete;
    tombstone& operator=(const tombstone&) = delete;

protected:
    tombstone() noexcept = default;
    ~tombstone() {
#ifndef _MSC_VER
        make_tombstone(this);
#endif
    }
};

template <class Base>
class resource_with_tombstone : private tombstone, public Base {
protected:
    resource_with_tombstone() noexcept {
#ifndef _MSC_VER
        static_assert(sizeof(resource_with_tombstone) == sizeof(Base));
#endif
    }
};

}} // namespace mallard::checking::MALLARD_LIBRARY

namespace mallard::checking { inline namespace MALLARD_MODE {

#if MALLARD_CHECKED
/// The base of a resource: a call of one that is destroyed is reported.
template <class Base>
using resource_by_default = resource_with_tombstone<Base>;
#else
template <class Base>
using resource_by_default = Base;
#endif

}} // namespace mallard::checking::MALLARD_MODE
