/// How the functions are written that the program calls instead of the system's.
///
/// malloc.cpp and operators.cpp are compiled for the recorder and for the trial. Each has an `event`, which is made around
/// one call, and decides about it: MALLARD_EVENT_HEADER names its header.
#pragma once

#include <dlfcn.h>

/// The frame of the function. It has a frame pointer.
#define MALLARD_FRAME __builtin_frame_address(0)
#define MALLARD_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace mallard::recorder {

/// Returns: the function of that name that the program would call without the library; null if there is none.
template <typename Function>
Function next_function(const char* name) noexcept {
    void* const found = ::dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        ::dlerror(); // else the program would find an error there that is none of its own
    }
    return reinterpret_cast<Function>(found);
}

} // namespace mallard::recorder
