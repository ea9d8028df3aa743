/* The allocator of a build, as C programs ask for one; each patch in this folder calls these functions. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void* mallard_allocate(size_t bytes);
void* mallard_allocate_zeroed(size_t count, size_t bytes);
void* mallard_reallocate(void* block, size_t bytes);
void mallard_deallocate(void* block);
char* mallard_duplicate(const char* text);
/* A lua_Alloc. */
void* mallard_serve_lua(void* ignored, void* block, size_t old_bytes, size_t bytes);

#ifdef __cplusplus
}
#endif
