/// Declarations of the functions that are interposed before the system's.
///
/// malloc.cpp and operators.cpp are compiled for the recorder and for the trial. Each has a class `event`, constructed around
/// one call, which decides how to handle it: MALLARD_EVENT_HEADER names its header.
#pragma once

#include <dlfcn.h>

/// The frame of the function. It has a frame pointer.
#define MALLARD_FRAME __builtin_frame_address(0)
#define MALLARD_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace mallard::recorder {

/// Returns: the function of that name that the program would call without this library, or null.
template <typename Function>
Function next_function(const char* name) noexcept {
    void* const function = ::dlsym(RTLD_NEXT, name);
    if (function == nullptr) {
        ::dlerror(); // or the program would see an error of the recorder
    }
    return reinterpret_cast<Function>(function);
}

} // namespace mallard::recorder
