#include "protection.hpp"

#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

bool set_writable(std::byte* p, std::size_t bytes, bool writable) noexcept {
    DWORD before = 0;
    return VirtualProtect(p, bytes, writable ? PAGE_READWRITE : PAGE_READONLY, &before) != 0;
}

bool bind_to_node(std::byte*, std::size_t, unsigned) noexcept {
    return false; // pages get their node when they are mapped
}

bool report_writes_to_read_only(owner_of_memory) noexcept {
    return false;
}

}} // namespace mallard::platform::MALLARD_LIBRARY
