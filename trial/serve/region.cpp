#include "trial/serve/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace mallard::trial {

constinit region the_region;

namespace {

std::byte* reserve(std::size_t bytes) noexcept {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

/// The first bytes of a file of the system; none if it cannot be read.
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
    /// Returns: the number behind `name`; `otherwise` if there is none.
    [[nodiscard]] std::size_t number(std::string_view name, std::size_t otherwise) const noexcept {
        const std::string_view text(bytes_, length_);
        const std::size_t at = text.find(name);
        const std::size_t digits =
            at == std::string_view::npos ? at : text.find_first_of("0123456789", at + name.size());
        std::size_t number = otherwise;
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

/// Returns: the bytes of addresses that the trial may reserve: an eighth of all, where they are limited, because the program
/// needs the rest.
std::size_t most_addresses() noexcept {
    std::size_t most = SIZE_MAX;
    for (const auto which : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit limit{};
        if (::getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
            most = std::min<std::size_t>(most, limit.rlim_cur / 8);
        }
    }
    const bool counts_reservations = begin_of_file("/proc/sys/vm/overcommit_memory").number("", 0) == 2;
    return counts_reservations ? std::min(most, available_bytes() / 8) : most;
}

} // namespace

bool region::open(std::size_t most_taken_bytes) noexcept {
    most_taken_ = most_taken_bytes != 0 ? most_taken_bytes : available_bytes() / 2;
    const std::size_t most = most_addresses();
    for (unsigned slices = most_slices; slices > 0; slices /= 2) {
        const std::size_t bytes = slices * slice_bytes;
        if (bytes + bytes / granule > most) {
            continue;
        }
        std::byte* const memory = reserve(bytes);
        if (memory == nullptr) {
            continue;
        }
        std::byte* const sizes = reserve(bytes / granule);
        if (sizes == nullptr) {
            ::munmap(memory, bytes);
            continue;
        }
        // The global allocator asks for no huge pages, so the trial has some only where the system gives them to all.
        if (!begin_of_file("/sys/kernel/mm/transparent_hugepage/enabled").has("[always]")) {
            ::madvise(memory, bytes, MADV_NOHUGEPAGE);
        }
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
