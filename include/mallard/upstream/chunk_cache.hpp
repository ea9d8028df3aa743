/// The default upstream: recently released chunks, before new ones from the system.
///
/// A local allocator that lives as long as a request takes its chunks and releases them thousands of times a
/// second. If each release reached the operating system, each use would fault those pages in again, which costs
/// more than all the allocations made there. So released chunks wait here, by size:
///
///     this thread's bins   no lock; up to `thread_bytes`
///     the shared bins      a lock; up to `shared_bytes`; chunks that threads give up
///     the system           operator new below 128 KiB, pages (mmap) from there on
///
/// The huge pages of a chunk of 2 MiB or more are offered to the system while it waits (pages::offer). The system takes
/// their memory only under pressure; until then they cost no fault. In huge pages both calls cost less than a
/// microsecond. For each small page the processor has to note again that it was written to, which costs a third of
/// a fault; so smaller chunks are not offered, and none is where the system gives no huge pages.
///
/// Invariants: a chunk in a bin has exactly the size of its class (reuse/size_classes.hpp) and at least
/// fundamental_alignment. Slabs of 4 KiB to 64 KiB, a power of two, have bins of their own, in which all lie at
/// multiples of their size.
/// Bound: at most thread_bytes wait for each thread and shared_bytes for all; the system may take the part of it
/// in chunks of least_offered_bytes and more. Chunks of a size that were not needed at all in 1024 operations move on to the
/// shared bins, and from there to the system, in small steps: a thirty-second of the bytes that are released, and 256 bytes
/// for each release. When bins are full, such chunks make room for one that is released. If the system has no memory for a
/// request, all chunks that wait in the calling thread's bins and in the shared ones go back, and the system is
/// asked once more.
/// Threads: the bins of a thread lie in separate pages, and are emptied into the shared ones when it closes
/// (impl/threads/thread_end.hpp); then it uses those.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>

namespace mallard { inline namespace MALLARD_LIBRARY {

struct chunk_cache_limits {
    std::size_t thread_bytes = std::size_t{32} << 20;
    std::size_t shared_bytes = std::size_t{128} << 20;
    /// Smaller chunks, and those below 128 KiB, are not offered to the system; SIZE_MAX: none is.
    std::size_t least_offered_bytes = in_huge_pages;
    /// Chunks of pages::huge_page_bytes() and more, if the system has huge pages (pages::has_huge_pages); elsewhere none.
    static constexpr std::size_t in_huge_pages = static_cast<std::size_t>(-2);
};

struct chunk_cache_stats {
    std::size_t thread_bytes = 0;  ///< waiting in the calling thread's bins
    std::size_t shared_bytes = 0;  ///< waiting in the shared bins
    std::size_t offered_bytes = 0; ///< the part of both that the system may take
};

/// Thread-safe: one thread may return the chunk of another.
class chunk_cache {
public:
    /// Returns: `bytes` bytes at a multiple of `alignment`. Requests above 64 MiB come from the system and are
    /// not kept afterwards; nor are requests below 128 KiB at an alignment above the fundamental one, unless their size is a
    /// power of two from 4 KiB on and no less than the alignment.
    /// Throws: std::bad_alloc, after the out-of-memory handler has run, once no chunk waits here any more. A
    /// request above PTRDIFF_MAX / 2 bytes, or at a stricter alignment than that, leaves the waiting chunks
    /// alone.
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment);

    /// Returns: a block of `bytes` bytes; null if there is no memory. The out-of-memory handler is not called.
    [[nodiscard]] static void* try_allocate(std::size_t bytes,
                                            std::size_t alignment = fundamental_alignment) noexcept;

    /// Effects: keeps the chunk for later requests, or returns it to the system (Bound).
    /// Requires: `p` came from allocate(bytes, alignment) and was not deallocated since.
    static void deallocate(void* p, std::size_t bytes,
                           std::size_t alignment = fundamental_alignment) noexcept;

    /// Effects: gives the memory of a part of a chunk back to the system, as pages::discard() does. The chunk stays the caller's.
    static void discard(void* p, std::size_t bytes) noexcept;

    /// Effects: returns all chunks in the calling thread's bins and in the shared ones to the system.
    static void trim() noexcept;

    /// Effects: sets the bounds for this copy of the library. Chunks in excess go at the next release, not at once.
    static void set_limits(chunk_cache_limits limits) noexcept;

    /// Returns: the bytes that wait for requests.
    [[nodiscard]] static chunk_cache_stats stats() noexcept;
};

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_MODE {

template <>
inline constexpr bool thread_safe<chunk_cache> = true;

static_assert(stateless_upstream<chunk_cache>);

}} // namespace mallard::MALLARD_MODE
