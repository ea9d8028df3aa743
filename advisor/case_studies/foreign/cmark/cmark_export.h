/* Everything is in one program, so nothing is exported. */
#pragma once

#define CMARK_EXPORT
