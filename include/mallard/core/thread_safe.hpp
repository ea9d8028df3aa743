/// Which allocators several threads may use at once: a property that no compiler can read off a class, so
/// each class states it.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::inline MALLARD_MODE {

/// Whether threads may call allocate() and deallocate() of one A at the same time, and one may free what
/// another allocated. Specialise it as true for an allocator of yours that locks.
template <class A>
inline constexpr bool thread_safe = false;

} // namespace mallard::inline MALLARD_MODE
