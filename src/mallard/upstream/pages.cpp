#include <mallard/core/cancellation.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/upstream/pages.hpp>

#ifdef MALLARD_ASAN
#include <sanitizer/lsan_interface.h>
#endif
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace mallard::inline MALLARD_LIBRARY {

namespace {

struct extent {
    std::size_t bytes; // 0 if the request is too large
    std::size_t alignment;
    bool huge;
};

/// Depends on the request and the options only, so that deallocate() finds the extent of allocate().
extent to_extent(std::size_t bytes, std::size_t alignment, huge_pages wanted) noexcept {
    const bool huge = wanted == huge_pages::always ||
                      (wanted == huge_pages::when_large && bytes >= pages::worth_huge_pages_bytes);
    const std::size_t unit = huge ? pages::huge_page_bytes() : pages::page_bytes();
    return {core::align_up(std::max<std::size_t>(bytes, 1), unit), std::max(alignment, unit), huge};
}

std::byte* map(std::size_t bytes) noexcept {
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

/// Returns: the number at the begin of the text; 0 if there is none.
std::size_t number_in(std::string_view text) noexcept {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

bool system_gives_huge_pages() noexcept {
#if defined(MADV_HUGEPAGE) && defined(PR_GET_THP_DISABLE)
    const begin_of_file modes("/sys/kernel/mm/transparent_hugepage/enabled");
    return !modes.text().empty() && modes.text().find("[never]") == std::string_view::npos &&
           prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0;
#else
    return false;
#endif
}

/// A number that never changes, found at its first use. Not a static object of a function: a fork during its initialisation
/// by another thread would leave the compiler's guard locked in the child. Threads that come at once find one number.
class constant_of_system {
public:
    explicit constexpr constant_of_system(std::size_t (*ask)() noexcept) noexcept : ask_(ask) {}

    [[nodiscard]] std::size_t get() noexcept {
        const std::size_t known = number_.load(std::memory_order_relaxed);
        return known != unknown ? known : find();
    }

private:
    static constexpr std::size_t unknown = SIZE_MAX;

    [[gnu::cold, gnu::noinline]] std::size_t find() noexcept {
        const std::size_t value = ask_();
        number_.store(value, std::memory_order_relaxed);
        return value;
    }

    std::atomic<std::size_t> number_{unknown};
    std::size_t (*ask_)() noexcept;
};

constinit constant_of_system page_size([]() noexcept {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
});
constinit constant_of_system huge_page_size([]() noexcept {
    const begin_of_file text("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    return std::max(pages::page_bytes(), pages::huge_page_bytes_for(number_in(text.text())));
});
constinit constant_of_system huge_page_mode([]() noexcept {
    return static_cast<std::size_t>(system_gives_huge_pages());
});

/// Effects: maps more than is needed, and unmaps the parts in front of and behind the aligned part.
std::byte* map_aligned(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t mapped_bytes = bytes + alignment - pages::page_bytes();
    if (mapped_bytes < bytes) {
        return nullptr;
    }
    std::byte* base = map(mapped_bytes);
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

void touch_all(std::byte* p, std::size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
    if (madvise(p, bytes, MADV_POPULATE_WRITE) == 0) {
        return;
    }
#endif
    for (std::size_t offset = 0; offset < bytes; offset += pages::page_bytes()) {
        *static_cast<volatile std::byte*>(p + offset) = std::byte{0};
    }
}

/// Effects: makes the leak checker search these pages. By itself it searches malloc's memory only.
void tell_leak_checker([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MALLARD_ASAN
    __lsan_register_root_region(p, bytes);
#endif
}

void untell_leak_checker([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MALLARD_ASAN
    __lsan_unregister_root_region(p, bytes);
#endif
}

} // namespace

void* pages::allocate(std::size_t bytes, std::size_t alignment) {
    void* const p = try_allocate(bytes, alignment);
    if (p == nullptr) {
        core::fail_allocation(bytes, alignment);
    }
    return p;
}

void* pages::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    const extent wanted = to_extent(bytes, alignment, options_.huge);
    std::byte* p = nullptr;
    if (wanted.bytes != 0) {
        p = wanted.alignment == page_bytes() ? map(wanted.bytes)
                                             : map_aligned(wanted.bytes, wanted.alignment);
    }
    if (p == nullptr) {
        return nullptr;
    }
#ifdef MADV_HUGEPAGE
    if (wanted.huge) {
        // A kernel without huge pages refuses. inspect() reports the result.
        madvise(p, wanted.bytes, MADV_HUGEPAGE);
    }
#endif
    if (options_.prefault) {
        touch_all(p, wanted.bytes);
    }
    tell_leak_checker(p, wanted.bytes);
    return p;
}

void pages::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t mapped_bytes = to_extent(bytes, alignment, options_.huge).bytes;
    untell_leak_checker(p, mapped_bytes);
    if (munmap(p, mapped_bytes) != 0) {
        // The process has its most mappings, and unmapping a part of one would add another. The addresses are
        // lost, but not the memory.
        madvise(p, mapped_bytes, MADV_DONTNEED);
    }
}

void pages::offer([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes,
                  [[maybe_unused]] std::size_t alignment) const noexcept {
#ifdef MADV_FREE
    // Offers the whole mapping, because a part of a huge page would split it.
    madvise(p, to_extent(bytes, alignment, options_.huge).bytes, MADV_FREE);
#endif
}

std::size_t pages::page_bytes() noexcept {
    return page_size.get();
}

std::size_t pages::huge_page_bytes() noexcept {
    return huge_page_size.get();
}

bool pages::has_huge_pages() noexcept {
    return huge_page_mode.get() != 0;
}

page_report pages::inspect(const void* p, std::size_t bytes) {
    page_report report;
    std::ifstream maps("/proc/self/smaps");
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    bool overlaps = false;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (const auto dash = key.find('-'); dash != std::string::npos && key.back() != ':') {
            const auto low = std::stoull(key, nullptr, 16);
            const auto high = std::stoull(key.substr(dash + 1), nullptr, 16);
            overlaps = low < begin + bytes && begin < high;
        } else if (overlaps && (key == "Rss:" || key == "AnonHugePages:")) {
            std::size_t kibibytes = 0;
            words >> kibibytes;
            (key == "Rss:" ? report.resident_bytes : report.huge_bytes) += kibibytes << 10;
            report.known = true;
        }
    }
    return report;
}

} // namespace mallard::inline MALLARD_LIBRARY
