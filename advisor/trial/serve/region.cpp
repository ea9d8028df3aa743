#include "trial/serve/region.hpp"

#include "recorder/system/sandbox.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace mallard::trial {

constinit region the_region;

namespace {

// Linux allocates addresses from the upper end of the 47 bits, and programs with fixed addresses use lower ones.
constexpr std::uintptr_t first_base = 0x3a00'0000'0000;
constexpr std::uintptr_t last_base = 0x5200'0000'0000;
constexpr std::uintptr_t between_bases = 0x0200'0000'0000;
constexpr std::uintptr_t page_bytes = 64 << 10; // of no system larger
// The limit of waiting for another thread, which is mapping its slice.
constexpr unsigned most_waits = 10'000;

/// Returns: memory at that address; null on failure. errno is EEXIST if the addresses are in use.
std::byte* map_at(std::uintptr_t place, std::size_t bytes) noexcept {
    void* const memory = ::mmap(reinterpret_cast<void*>(place), bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    if (reinterpret_cast<std::uintptr_t>(memory) != place) {
        ::munmap(memory, bytes); // an old kernel treats the address as a hint
        errno = EEXIST;
        return nullptr;
    }
    return static_cast<std::byte*>(memory);
}

/// The beginning of a system file; empty if it cannot be read.
class begin_of_file {
public:
    explicit begin_of_file(const char* path) noexcept {
        const int file = ::open(path, O_RDONLY | O_CLOEXEC);
        if (file != -1) {
            length_ = static_cast<std::size_t>(std::max<ssize_t>(::read(file, bytes_, sizeof(bytes_)), 0));
            ::close(file);
        }
    }
    [[nodiscard]] bool has(std::string_view text) const noexcept {
        return std::string_view(bytes_, length_).find(text) != std::string_view::npos;
    }
    /// Returns: the number behind `name`, or `fallback`.
    [[nodiscard]] std::size_t number(std::string_view name, std::size_t fallback) const noexcept {
        const std::string_view text(bytes_, length_);
        const std::size_t at = text.find(name);
        const std::size_t digits =
            at == std::string_view::npos ? at : text.find_first_of("0123456789", at + name.size());
        std::size_t number = fallback;
        if (digits != std::string_view::npos) {
            std::from_chars(text.data() + digits, text.data() + text.size(), number);
        }
        return number;
    }

private:
    char bytes_[512];
    std::size_t length_ = 0;
};

std::size_t available_bytes() noexcept {
    return begin_of_file("/proc/meminfo").number("MemAvailable:", SIZE_MAX >> 10) << 10;
}

/// Returns: the bytes of addresses that the trial may take. If addresses are limited, an eighth of the limit: the
/// program needs the others.
std::size_t most_addresses() noexcept {
    std::size_t most = SIZE_MAX;
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit limit{};
        if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
            most = std::min<std::size_t>(most, limit.rlim_cur / 8);
        }
    }
    const bool counts_reservations = begin_of_file("/proc/sys/vm/overcommit_memory").number("", 0) == 2;
    return counts_reservations ? std::min(most, available_bytes() / 8) : most;
}

} // namespace

bool region::open(std::size_t most_taken_bytes) noexcept {
    most_taken_ = most_taken_bytes != 0 ? most_taken_bytes : available_bytes() / 2;
    // The global allocator does not request huge pages, so the trial has them only where the system always gives
    // them.
    huge_pages_ = begin_of_file("/sys/kernel/mm/transparent_hugepage/enabled").has("[always]");
    for (std::uintptr_t base = first_base; base <= last_base; base += between_bases) {
        if (std::byte* const probe = map_at(base, sizes_bytes)) {
            ::munmap(probe, sizes_bytes);
            base_ = base;
            sizes_ = reinterpret_cast<std::uint8_t*>(base + most_slices * slice_bytes);
            return true;
        }
    }
    return false;
}

void region::gives_back(std::byte* memory, std::size_t bytes) noexcept {
    const int errno_of_program = errno;
    const std::uintptr_t page_mask = page_bytes - 1;
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory) + page_mask) & ~page_mask;
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) & ~page_mask;
    if (begin < end && !recorder::in_sandbox()) {
        ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
    errno = errno_of_program;
    taken_.fetch_sub(bytes, std::memory_order_relaxed);
}

std::byte* region::take_slices(thread_arena* owner, std::size_t count) noexcept {
    const int errno_of_program = errno;
    std::byte* const slices = map_slices(owner, count);
    errno = errno_of_program;
    return slices;
}

// The program may limit its addresses while it runs, so each slice except the first is checked against the current
// limits.
std::byte* region::map_slices(thread_arena* owner, std::size_t count) noexcept {
    for (unsigned waits = 0; waits < most_waits; ++waits) {
        const std::size_t bytes = bytes_.load(std::memory_order_acquire);
        const std::size_t index = bytes / slice_bytes;
        if (count > most_slices - index || recorder::in_sandbox() ||
            (index + count > 1 && (index + count) * (slice_bytes + sizes_bytes) > most_addresses())) {
            return nullptr;
        }
        auto* const sizes =
            map_at(reinterpret_cast<std::uintptr_t>(sizes_) + index * sizes_bytes, count * sizes_bytes);
        if (sizes == nullptr && errno == EEXIST) {
            ::sched_yield(); // another thread is mapping this slice
            continue;
        }
        std::byte* const slices = sizes == nullptr ? nullptr : map_at(base_ + bytes, count * slice_bytes);
        if (slices == nullptr) {
            if (sizes != nullptr) {
                ::munmap(sizes, count * sizes_bytes);
            }
            return nullptr;
        }
        if (!huge_pages_) {
            ::madvise(slices, count * slice_bytes, MADV_NOHUGEPAGE);
        }
        for (std::size_t slice = index; slice < index + count; ++slice) {
            owners_[slice].store(owner, std::memory_order_release);
        }
        bytes_.store(bytes + count * slice_bytes, std::memory_order_release);
        return slices;
    }
    return nullptr;
}

} // namespace mallard::trial
