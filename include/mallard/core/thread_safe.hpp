/// The property that several threads may use an allocator at once. A compiler cannot deduce it, so each class
/// states it.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard { inline namespace MALLARD_MODE {

/// True if threads may call allocate() and deallocate() of one A concurrently, and one thread may free a block of
/// another. Specialise it as true for an allocator that locks.
template <class A>
inline constexpr bool thread_safe = false;

}} // namespace mallard::MALLARD_MODE
