/// Whole pages from the operating system: mmap and munmap, with huge pages for large sizes.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>

namespace mallard { inline namespace MALLARD_LIBRARY {

enum class huge_pages {
    never,
    /// For the whole huge pages in a request. Its end, and a request that is shorter than one, has small pages.
    when_large,
    /// For each request, which is rounded up to whole huge pages.
    always,
};

struct page_options {
    huge_pages huge = huge_pages::when_large;
    /// Touch every page at once, so that no fault comes later.
    bool prefault = false;
};

/// The pages of a range of memory, as the operating system sees them.
struct page_report {
    std::size_t resident_bytes = 0;
    std::size_t huge_bytes = 0; ///< the part of resident_bytes in huge pages
    bool known = false;         ///< true if this system reports it
};

/// Stateless apart from its options; thread-safe.
class pages {
public:
    pages() = default;
    explicit constexpr pages(page_options options) noexcept : options_(options) {}

    /// Returns: zeroed memory. Sizes are rounded up to whole pages.
    /// Throws: std::bad_alloc.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment);

    /// Returns: zeroed memory; null if there is none. The out-of-memory handler is not called.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept;

    /// Effects: unmaps the pages.
    /// Requires: `p` came from allocate(bytes, alignment) with these options and was not deallocated since.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept;

    /// Effects: offers the memory of the pages to the system, which takes it only under pressure; of a request with huge
    /// pages, that of those. The pages stay the caller's: a write to one makes it usable again, at no cost if it was not taken.
    /// Their contents are lost, now or later. Does nothing on a system without lazy freeing (MADV_FREE).
    /// Requires: `p` came from allocate(bytes, alignment), with these options.
    void offer(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) const noexcept;

    /// Effects: gives the memory of the whole pages in [p, p + bytes) back to the system at once, if there are
    /// `least_discarded_pages` of them. They stay usable, and cost a fault each; their contents are lost. A huge page is split.
    /// Requires: the range lies in the caller's private memory, of any allocator.
    static void discard(void* p, std::size_t bytes) noexcept;

    /// Fewer are not worth a call of the system.
    static constexpr std::size_t least_discarded_pages = 2;

    [[nodiscard]] page_options options() const noexcept { return options_; }

    /// Returns: the pages of the mappings that overlap [p, p + bytes).
    /// Complexity: reads the whole list of mappings; for reports, not for running code.
    [[nodiscard]] static page_report inspect(const void* p, std::size_t bytes);

    [[nodiscard]] static std::size_t page_bytes() noexcept;

    /// Returns: the bytes and the alignment of a huge page: huge_page_bytes_for() of the kernel's size, which is asked for once.
    [[nodiscard]] static std::size_t huge_page_bytes() noexcept;

    /// Returns: true if the system gives huge pages to a process that asks for them: they are neither switched off
    /// for all (transparent_hugepage/enabled) nor for this process (PR_SET_THP_DISABLE). Asked for once.
    [[nodiscard]] static bool has_huge_pages() noexcept;

    static constexpr std::size_t most_huge_page_bytes = std::size_t{4} << 20;

    /// Returns: `kernel_bytes`, the size of the kernel's huge pages, if that is a power of two and at most
    /// most_huge_page_bytes; otherwise 2 MiB. Kernels with pages of 16 KiB have huge pages of 32 MiB, those with
    /// 64 KiB have 512 MiB: no request is aligned to so much. They still get them if a request is that large.
    [[nodiscard]] static constexpr std::size_t huge_page_bytes_for(std::size_t kernel_bytes) noexcept {
        return is_power_of_two(kernel_bytes) && kernel_bytes <= most_huge_page_bytes ? kernel_bytes
                                                                                     : std::size_t{2} << 20;
    }

private:
    page_options options_;
};

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_MODE {

template <>
inline constexpr bool thread_safe<pages> = true;

static_assert(upstream<pages>);

}} // namespace mallard::MALLARD_MODE
