/* What CMake finds on Debian; cmark's sources include it. */
#pragma once

#include <stdbool.h>

#define HAVE___BUILTIN_EXPECT 1
#define CMARK_ATTRIBUTE(list) __attribute__(list)
#define CMARK_INLINE inline
