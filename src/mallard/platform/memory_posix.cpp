#include "memory.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/upstream/pages.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0 // of the BSDs: they count no reserved memory
#endif

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

namespace {

constexpr int of_nobody = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::byte* map_pages(std::size_t bytes) noexcept {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

/// The first bytes of a file; none if it cannot be read. It allocates nothing: the caller may be the program's operator
/// new, or be out of memory.
class begin_of_file {
public:
    explicit begin_of_file(const char* path) noexcept {
        const core::cancellation_disabled meanwhile;
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file != -1) {
            length_ = static_cast<std::size_t>(std::max<ssize_t>(read(file, bytes_, sizeof(bytes_)), 0));
            close(file);
        }
    }
    [[nodiscard]] std::string_view text() const noexcept { return {bytes_, length_}; }

private:
    char bytes_[64];
    std::size_t length_ = 0;
};

} // namespace

std::size_t page_bytes() noexcept {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t huge_page_bytes() noexcept {
    const begin_of_file file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    const std::string_view text = file.text();
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

bool gives_huge_pages() noexcept {
#if defined(MADV_HUGEPAGE) && defined(PR_GET_THP_DISABLE)
    const begin_of_file modes("/sys/kernel/mm/transparent_hugepage/enabled");
    return !modes.text().empty() && modes.text().find("[never]") == std::string_view::npos &&
           prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0;
#else
    return false;
#endif
}

std::byte* map(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t page = pages::page_bytes();
    if (alignment == page) {
        return map_pages(bytes);
    }
    // More than is needed; the parts in front of and behind the aligned part are unmapped.
    const std::size_t mapped_bytes = bytes + alignment - page;
    if (mapped_bytes < bytes) {
        return nullptr;
    }
    std::byte* base = map_pages(mapped_bytes);
    if (base == nullptr) {
        return nullptr;
    }
    const std::size_t front = core::padding_to(base, alignment);
    const std::size_t back = mapped_bytes - front - bytes;
    if (front != 0) {
        munmap(base, front);
    }
    if (back != 0) {
        munmap(base + front + bytes, back);
    }
    return base + front;
}

void unmap(std::byte* p, std::size_t bytes, std::size_t) noexcept {
    if (munmap(p, bytes) != 0) {
        // The process has its most mappings, and unmapping a part of one would add another. The addresses are
        // lost, but not the memory.
        madvise(p, bytes, MADV_DONTNEED);
    }
}

void request_huge_pages([[maybe_unused]] std::byte* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
    // A kernel without huge pages refuses. inspect() reports the result.
    madvise(p, bytes, MADV_HUGEPAGE);
#endif
}

bool populate([[maybe_unused]] std::byte* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
    return madvise(p, bytes, MADV_POPULATE_WRITE) == 0;
#else
    return false;
#endif
}

void offer([[maybe_unused]] std::byte* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_FREE
    madvise(p, bytes, MADV_FREE);
#endif
}

void discard(std::byte* p, std::size_t bytes) noexcept {
#ifdef __aarch64__
    if (reinterpret_cast<std::uintptr_t>(p) >> 56 != 0) {
        return; // the pages would lose the tags that the pointer's is compared with (MTE)
    }
#endif
    madvise(p, bytes, MADV_DONTNEED); // refused for locked memory, which stays
}

std::byte* reserve(std::size_t bytes) noexcept {
    void* p = mmap(nullptr, bytes, PROT_NONE, of_nobody, -1, 0);
    return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

bool commit(std::byte* p, std::size_t bytes) noexcept {
    return mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0;
}

bool decommit(std::byte* p, std::size_t bytes) noexcept {
    // A new mapping replaces the old one. Otherwise the system would still count the memory as committed.
    return mmap(p, bytes, PROT_NONE, of_nobody | MAP_FIXED, -1, 0) != MAP_FAILED;
}

bool release_end(std::byte* p, std::size_t bytes) noexcept {
    return munmap(p, bytes) == 0;
}

void release(std::byte* p, std::size_t bytes) noexcept {
    munmap(p, bytes);
}

void* map_wiped_page([[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_WIPEONFORK
    void* const page = map_pages(bytes);
    if (page == nullptr) {
        return nullptr;
    }
    // Emulators that ignore advice accept any, even advice that no kernel knows.
    constexpr int unknown_advice = -1;
    if (madvise(page, bytes, unknown_advice) != 0 && madvise(page, bytes, MADV_WIPEONFORK) == 0) {
        return page;
    }
    munmap(page, bytes);
#endif
    return nullptr;
}

void unmap_wiped_page(void* page, std::size_t bytes) noexcept {
    munmap(page, bytes);
}

}} // namespace mallard::platform::MALLARD_LIBRARY
