/// Declarations of the functions that are interposed before the system's.
#pragma once

#include "recorder/arch/arch.hpp"

#include <dlfcn.h>

#define MALLARD_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace mallard::recorder {

/// Returns: the function of that name that the program would call without this library, or null.
void* find_next_function(const char* name) noexcept;

template <typename Function>
Function next_function(const char* name) noexcept {
    return reinterpret_cast<Function>(find_next_function(name));
}

/// Effects: finds the functions that start or end programs. They are found again when the library becomes attached.
void find_program_functions() noexcept;

/// Effects: acquires what the calling thread's events need, before the process restricts its system calls. The recorder and the
/// trial each define this function and the following ones.
void prepare_for_sandbox() noexcept;

/// Effects: notes that the calling thread's alternate stack changed.
void watch_stack() noexcept;

/// Effects: notes that the process is about to end, or to execute another program.
void note_end() noexcept;

/// Effects: adds to the count of programs that the process started.
void count_programs(int programs) noexcept;

/// Effects: drops what is known of code, because a JIT compiler removed the descriptions of some.
void forget_registered_code() noexcept;

} // namespace mallard::recorder
