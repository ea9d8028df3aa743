/// Containers of Boost over an allocator under test, where Boost is installed: EQUIPMENT_HAS_BOOST says so.
#pragma once

#if __has_include(<boost/container/vector.hpp>) && __has_include(<boost/container/stable_vector.hpp>)
#define EQUIPMENT_HAS_BOOST 1

// Or its hashes derive from std::unary_function, which libc++ has no more.
#define BOOST_NO_CXX98_FUNCTION_BASE

#include <boost/container/deque.hpp>
#include <boost/container/flat_map.hpp>
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <boost/container/set.hpp>
#include <boost/container/slist.hpp>
#include <boost/container/stable_vector.hpp>
#include <boost/container/string.hpp>
#include <boost/container/vector.hpp>
#include <boost/version.hpp>
#else
#define EQUIPMENT_HAS_BOOST 0
#endif

#define EQUIPMENT_SAYS_THAT_BOOST_IS_MISSING                                                                 \
    "Boost.Container was not found: install libboost-dev (Debian, Ubuntu)"
