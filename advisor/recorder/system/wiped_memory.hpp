/// Memory that identifies the child of any fork.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace mallard::recorder {

/// Returns: anonymous memory that is zero in the child of a fork; null on failure.
inline void* memory_wiped_at_fork(std::size_t bytes) noexcept {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    if (::madvise(memory, bytes, MADV_WIPEONFORK) == 0) {
        return memory;
    }
    ::munmap(memory, bytes);
    return nullptr;
}

} // namespace mallard::recorder
