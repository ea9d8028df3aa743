/// Pages that can be made read-only, for a structure that is built once and read from then on.
///
///     mallard::protected_pages source("the dictionary");
///     mallard::monotonic memory(source);
///     ...                                 // build it
///     source.protect();                   // a write to it ends the program, and the report names the dictionary
///
///     chunk:  [ memory: whole pages, read-only after protect() | a page: next, previous, begin, length ]
///
/// Data model: the chunks form a doubly linked list, whose links lie behind the chunks in pages that stay writable. Each
/// object has a place in a table of the process, in which the report of a write looks for the owner.
/// Invariants: a chunk of the list is mapped. The report follows the list in the thread that wrote, without a lock: if
/// another thread unmaps a chunk meanwhile, the name may be missing.
///
/// Source: P0089R1, section 1 (memory that is read-only once it is loaded).
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>

#include <atomic>
#include <cstddef>

namespace mallard { inline namespace MALLARD_LIBRARY {

/// Not thread-safe; any thread may read protected memory. An allocator over it writes when a block is deallocated: call
/// unprotect() first, or let the allocator release everything at once.
class protected_pages {
public:
    /// The objects that a report can name at once.
    static constexpr std::size_t most_named = 256;

    /// Requires: `name` outlives this, as a literal does; it is not null.
    explicit protected_pages(const char* name) noexcept;
    protected_pages(const protected_pages&) = delete;
    protected_pages& operator=(const protected_pages&) = delete;
    /// Requires: all chunks were deallocated.
    ~protected_pages();

    /// Returns: zeroed, writable memory. Sizes are rounded up to whole pages, and take one page more.
    /// Throws: std::bad_alloc.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment);

    /// Returns: zeroed, writable memory; null if there is none. The out-of-memory handler is not called.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept;

    /// Effects: gives the memory back, protected or not.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept;

    /// Effects: makes all chunks read-only. Later chunks are writable until the next call.
    /// Returns: false if the system has refused for some chunk, or knows no read-only memory.
    /// Complexity: a call of the system for each chunk.
    bool protect() noexcept { return set_writable(false); }

    /// Effects: makes all chunks writable again.
    /// Returns: false if the system has refused for some chunk.
    bool unprotect() noexcept { return set_writable(true); }

    /// Effects: a write to protected memory prints a line with the name of its owner from now on, and then does what it
    /// would have done without: usually end the program. Installs a handler of SIGSEGV and SIGBUS once, which passes other faults on to
    /// the handler before it.
    /// Returns: false, with no effect, where the system has no such signals.
    static bool report_writes() noexcept;

    [[nodiscard]] const char* name() const noexcept { return name_; }

private:
    struct chunk;

    bool set_writable(bool writable) noexcept;
    [[nodiscard]] bool owns(const void* address) const noexcept;
    [[nodiscard]] static const char* owner(const void* address) noexcept;

    const char* name_;
    std::atomic<chunk*> first_{nullptr};
    std::atomic<const protected_pages*>* place_ = nullptr; // in the table; null if it was full
};

static_assert(upstream<protected_pages>);

}} // namespace mallard::MALLARD_LIBRARY
