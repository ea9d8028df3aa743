/// What differs between the processors: registers, calls, the stack of a signal, the counter, system calls.
///
/// Each header defines the same names in `mallard::recorder::arch`; this one selects the header by the compiler's macros.
/// Words of the stack are std::uint64_t.
#pragma once

#if defined(__x86_64__)
#include "recorder/arch/x86_64.hpp"
#elif defined(__aarch64__)
#include "recorder/arch/aarch64.hpp"
#else
#error "the recorder is for x86-64 and aarch64; configure with -DMALLARD_ADVISOR=OFF"
#endif
