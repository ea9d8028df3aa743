/// A monotonic allocator whose users visit each block that they free.
///
/// A compiler that sees that deallocation does nothing removes the walk of a destructor along its nodes. Behind an
/// abstract base it cannot. Here the walk stays and the call does not, which separates their costs.
#pragma once

#include <mallard/local/monotonic.hpp>

#include <cstddef>

namespace bench {

class walked_monotonic : public mallard::monotonic<> {
public:
    using mallard::monotonic<>::monotonic;

    void deallocate(void* p, std::size_t, std::size_t) noexcept { asm volatile("" : : "r"(p)); }
};

} // namespace bench
