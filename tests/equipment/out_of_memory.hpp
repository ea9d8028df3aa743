/// Expects that a request fails: by an exception, or, in a build without exceptions, by the end of the program.
#pragma once

#include <gtest/gtest.h>

#ifdef __cpp_exceptions
#include <new>
#define EXPECT_OUT_OF_MEMORY(statement) EXPECT_THROW(statement, std::bad_alloc)
#else
#define EXPECT_OUT_OF_MEMORY(statement)                                                                      \
    EXPECT_DEATH(statement, "mallard: (out of memory|a request for |an array of )")
#endif
