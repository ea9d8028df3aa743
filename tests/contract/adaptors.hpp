/// The adaptors of the suite, around an allocator that lives elsewhere.
#pragma once

#include <mallard/mallard.hpp>

#include <cstddef>

namespace contract {

template <class A>
struct none {
    explicit none(A& a) : adapted(a) {}
    A& adapted;
};

template <class A>
struct counted {
    explicit counted(A& a) : adapted(a) {}
    mallard::counted<A&> adapted;
};

template <class A>
struct limited {
    explicit limited(A& a) : adapted(std::size_t{1} << 30, a) {}
    mallard::limited<A&> adapted;
};

template <class A>
struct failing {
    explicit failing(A& a) : adapted(mallard::failure_plan{.at = 0}, a) {}
    mallard::failing<A&> adapted;
};

template <class A>
struct recorded {
    explicit recorded(A& a) : adapted(a) {}
    mallard::recorded<A&> adapted;
};

template <class A>
struct checked {
    explicit checked(A& a) : adapted(a) {}
    mallard::checked<A&> adapted;
};

} // namespace contract
