#include "trial/serve/region.hpp"

#include <sys/mman.h>

namespace mallard::trial {

constinit region the_region;

namespace {

std::byte* reserve(std::size_t bytes) noexcept {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

} // namespace

bool region::open() noexcept {
    for (unsigned slices = most_slices; slices > 0; slices /= 2) {
        const std::size_t bytes = slices * slice_bytes;
        std::byte* const memory = reserve(bytes);
        if (memory == nullptr) {
            continue;
        }
        std::byte* const sizes = reserve(bytes / granule);
        if (sizes == nullptr) {
            ::munmap(memory, bytes);
            continue;
        }
        // The global allocator has no huge pages by default, so neither has the trial.
        ::madvise(memory, bytes, MADV_NOHUGEPAGE);
        sizes_ = reinterpret_cast<std::uint8_t*>(sizes);
        base_ = reinterpret_cast<std::uintptr_t>(memory);
        bytes_ = bytes;
        return true;
    }
    return false;
}

std::byte* region::take_slice(server* who) noexcept {
    const unsigned which = next_.fetch_add(1, std::memory_order_relaxed);
    if (which >= bytes_ / slice_bytes) {
        next_.store(most_slices, std::memory_order_relaxed);
        return nullptr;
    }
    owners_[which].store(who, std::memory_order_release);
    return reinterpret_cast<std::byte*>(base_) + which * slice_bytes;
}

} // namespace mallard::trial
