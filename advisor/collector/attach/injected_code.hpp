/// The machine code that the borrowed thread and the new thread run in another process, for x86-64.
///
///     | borrowed thread: pthread_create, pauses, rt_sigreturn | at start_offset, new thread: dlopen, dlsym, call |
#pragma once

#include "collector/attach/target.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::collector {

inline constexpr std::size_t start_offset = 256;

constexpr std::uint64_t signal_bit(int number) noexcept {
    return std::uint64_t{1} << (number - 1);
}

/// The signal of the C library by which setuid and the like change the ids of each thread. It is never blocked: the caller holds
/// a lock that pthread_create needs until each thread has run the handler.
inline constexpr int setuid_signal = 33;

/// Returns: the code for the trace::attachment at `attachment`. `frame` is the signal frame from which the borrowed thread
/// restores itself.
std::vector<unsigned char> machine_code(address attachment, address frame);

} // namespace mallard::collector
