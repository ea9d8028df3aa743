/// Distinguishes a process from its parent, whichever call created it: fork(), _Fork(), or clone() itself.
///
///     word_ -> [ generation | process id ]     in a page that reads as zero in the child of a fork
///
/// Data model: handlers of pthread_atfork() do not run for _Fork() or a raw clone(). The kernel clears the page
/// (MADV_WIPEONFORK) in every child with a copy of the memory. The first read in such a child yields zero and
/// begins a generation. A child that shares the memory of its parent, as that of vfork() does, is in the
/// parent's generation. Where the kernel refuses (Linux before 4.14) the word lies in static storage, and a
/// generation begins in the handlers of pthread_atfork(), and whenever another process id is found.
/// Invariants: generations are never reused; none is 0.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <atomic>
#include <cstdint>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

/// Thread-safe.
class process_mark {
public:
    struct entry {
        std::uint32_t generation;
        long process; ///< the process that began the generation
    };

    constexpr process_mark() noexcept = default;

    [[nodiscard]] entry current() noexcept;

    /// Effects: begins a generation, unless the kernel has done so.
    /// Requires: the caller is the child of a fork.
    void begin_in_child() noexcept { unwiped_.store(0, std::memory_order_relaxed); }

private:
    using word = std::atomic<std::uint64_t>;

    [[nodiscard]] word& find_word() noexcept;

    std::atomic<word*> word_{nullptr};
    word unwiped_{0};
    std::atomic<std::uint32_t> last_generation_{0};
};

extern constinit process_mark this_process;

/// The number of threads in an operation. They do not exist in the child of a fork.
class threads_inside {
public:
    void enter() noexcept;
    void leave() noexcept { count_.fetch_sub(1, std::memory_order_release); }

    /// Returns: true if a thread of this process is inside.
    [[nodiscard]] bool any() const noexcept;

private:
    std::atomic<std::uint64_t> count_{0}; ///< above it, the generation that it is of
};

}} // namespace mallard::threads::MALLARD_LIBRARY
