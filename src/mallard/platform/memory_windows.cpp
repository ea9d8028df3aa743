#include "memory.hpp"

#include <mallard/core/alignment.hpp>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

namespace {

constexpr DWORD with_memory = MEM_RESERVE | MEM_COMMIT;

std::byte* take(void* p, std::size_t bytes, DWORD kind, DWORD access) noexcept {
    return static_cast<std::byte*>(VirtualAlloc(p, bytes, kind, access));
}

SYSTEM_INFO system_info() noexcept {
    SYSTEM_INFO info{};
    GetSystemInfo(&info);
    return info;
}

} // namespace

std::size_t page_bytes() noexcept {
    return system_info().dwPageSize;
}

std::size_t huge_page_bytes() noexcept {
    return 0;
}

// Large pages need a privilege, and cannot be offered or decommitted.
bool gives_huge_pages() noexcept {
    return false;
}

std::byte* map(std::size_t bytes, std::size_t alignment) noexcept {
    if (alignment <= system_info().dwAllocationGranularity) {
        return take(nullptr, bytes, with_memory, PAGE_READWRITE);
    }
    const std::size_t room = bytes + alignment;
    if (room < bytes) {
        return nullptr;
    }
    // A part of a range cannot be given back, so the whole range is, and its aligned part taken. Another thread may be
    // faster.
    constexpr int attempts = 16;
    for (int i = 0; i != attempts; ++i) {
        std::byte* const range = take(nullptr, room, MEM_RESERVE, PAGE_NOACCESS);
        if (range == nullptr) {
            return nullptr;
        }
        VirtualFree(range, 0, MEM_RELEASE);
        std::byte* const aligned = range + core::padding_to(range, alignment);
        if (std::byte* const p = take(aligned, bytes, with_memory, PAGE_READWRITE)) {
            return p;
        }
    }
    return nullptr;
}

void unmap(std::byte* p, std::size_t, std::size_t) noexcept {
    VirtualFree(p, 0, MEM_RELEASE);
}

void request_huge_pages(std::byte*, std::size_t) noexcept {}

bool populate(std::byte*, std::size_t) noexcept {
    return false;
}

void offer(std::byte* p, std::size_t bytes) noexcept {
    VirtualAlloc(p, bytes, MEM_RESET, PAGE_READWRITE);
}

void discard(std::byte* p, std::size_t bytes) noexcept {
    offer(p, bytes);
}

std::byte* reserve(std::size_t bytes) noexcept {
    return take(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
}

bool commit(std::byte* p, std::size_t bytes) noexcept {
    return take(p, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

bool decommit(std::byte* p, std::size_t bytes) noexcept {
    return VirtualFree(p, bytes, MEM_DECOMMIT) != 0;
}

bool release_end(std::byte*, std::size_t) noexcept {
    return false; // only whole ranges can be given back
}

void release(std::byte* p, std::size_t) noexcept {
    VirtualFree(p, 0, MEM_RELEASE);
}

void* map_wiped_page(std::size_t) noexcept {
    return nullptr;
}

void unmap_wiped_page(void*, std::size_t) noexcept {}

}} // namespace mallard::platform::MALLARD_LIBRARY
