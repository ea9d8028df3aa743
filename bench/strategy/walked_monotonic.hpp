/// A monotonic allocator whose users visit each block that they give back.
///
/// A compiler that knows that deallocation does nothing deletes the walk of a destructor along its nodes. No caller
/// of an abstract base knows it. Here the walk stays and the call does not, which tells the costs of both apart.
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
