#include "../platform/memory.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/prefault.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/upstream/pages.hpp>

#ifdef MALLARD_ASAN
#include <sanitizer/lsan_interface.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace mallard { inline namespace MALLARD_LIBRARY {

namespace {

///     [ huge page | huge page | ... | small pages ]
///                                   ^ huge_bytes   ^ bytes
struct extent {
    std::size_t bytes; // 0 if the request is too large
    std::size_t alignment;
    std::size_t huge_bytes;
};

/// Depends on the request and the options only, so that deallocate() finds the extent of allocate().
extent to_extent(std::size_t bytes, std::size_t alignment, huge_pages wanted) noexcept {
    // A smaller request does not ask the system for the size of its huge pages.
    constexpr std::size_t least_huge_page_bytes = std::size_t{1} << 20;
    const std::size_t page = pages::page_bytes();
    if (wanted == huge_pages::never ||
        (wanted == huge_pages::when_large && bytes <= least_huge_page_bytes - page)) {
        return {core::align_up(std::max<std::size_t>(bytes, 1), page), std::max(alignment, page), 0};
    }
    const std::size_t huge_page = pages::huge_page_bytes();
    const std::size_t unit = wanted == huge_pages::always ? huge_page : page;
    const std::size_t mapped_bytes = core::align_up(std::max<std::size_t>(bytes, 1), unit);
    const std::size_t huge_bytes = core::align_down(mapped_bytes, huge_page);
    return {mapped_bytes, std::max(alignment, huge_bytes != 0 ? huge_page : page), huge_bytes};
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

constinit constant_of_system page_size(platform::page_bytes);
constinit constant_of_system huge_page_size([]() noexcept {
    return std::max(pages::page_bytes(), pages::huge_page_bytes_for(platform::huge_page_bytes()));
});
constinit constant_of_system huge_page_mode([]() noexcept {
    return static_cast<std::size_t>(platform::gives_huge_pages());
});

void touch_all(std::byte* p, std::size_t bytes) noexcept {
    if (platform::populate(p, bytes)) {
        return;
    }
    core::prefault(p, bytes);
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
        p = platform::map(wanted.bytes, wanted.alignment);
    }
    if (p == nullptr) {
        return nullptr;
    }
    if (wanted.huge_bytes != 0) {
        platform::request_huge_pages(p, wanted.huge_bytes);
    }
    if (options_.prefault) {
        touch_all(p, wanted.bytes);
    }
    tell_leak_checker(p, wanted.bytes);
    return p;
}

void pages::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const extent mapped = to_extent(bytes, alignment, options_.huge);
    untell_leak_checker(p, mapped.bytes);
    platform::unmap(static_cast<std::byte*>(p), mapped.bytes, mapped.alignment);
}

void pages::offer(void* p, std::size_t bytes, std::size_t alignment) const noexcept {
    // A part of a huge page would split it.
    const extent mapped = to_extent(bytes, alignment, options_.huge);
    platform::offer(static_cast<std::byte*>(p), mapped.huge_bytes != 0 ? mapped.huge_bytes : mapped.bytes);
}

void pages::discard(void* p, std::size_t bytes) noexcept {
    const std::size_t page = page_bytes();
    const std::size_t front = core::padding_to(p, page);
    if (bytes >= front + least_discarded_pages * page) {
        platform::discard(static_cast<std::byte*>(p) + front, core::align_down(bytes - front, page));
    }
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

}} // namespace mallard::MALLARD_LIBRARY
