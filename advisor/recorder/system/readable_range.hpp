/// The parts of a thread's stacks that can be read without a fault.
///
///     | own stack: begin ... top |        | another stack, of a fiber or a signal handler: begin ... end |
///
/// Data model: two ranges of pages. The kernel is asked about each page when a range grows over it. One range is on the
/// stack of the last event.
/// Invariant: the thread's own stack is mapped while the thread lives, so its range stays valid. Another stack may be unmapped
/// and its addresses reused without an event in between, and memory would not show it. So each event on such a stack asks
/// again for the pages outside of its frame.
/// Owner: one thread.
#pragma once

#include "recorder/system/byte_cursor.hpp"

#include <cstdint>

namespace mallard::recorder::unwind {

inline constexpr address page_bytes = 4096;

constexpr address page_start(address location) noexcept {
    return location & ~(page_bytes - 1);
}

class readable_range {
public:
    /// Effects: begins an event whose innermost frame has its return address at `slot`.
    /// Returns: true if every word from `slot` outwards that `holds` has accepted is still readable.
    /// Complexity: two comparisons on the thread's own stack; else one or two system calls if the stack is more than a page.
    bool begin_event(address slot) noexcept {
        if (slot >= begin_ && slot + sizeof(address) <= lasting_end_) [[likely]] {
            return true;
        }
        return begin_event_elsewhere(slot);
    }

    /// Effects: asks the kernel about new pages.
    /// Returns: true if the eight bytes at `word` can be read in this event.
    bool holds(address word) noexcept {
        if (word >= begin_ && word + sizeof(address) <= end_) [[likely]] {
            return true;
        }
        return grow_to(word);
    }

    [[nodiscard]] address begin() const noexcept { return begin_; }
    [[nodiscard]] address end() const noexcept { return end_; }

    /// Effects: asks the kernel about the pages below the stack, up to 1 MiB.
    /// Requires: the range is not empty.
    void reach_down() noexcept;

    /// Effects: forgets all pages.
    void clear() noexcept { *this = readable_range{}; }

private:
    [[gnu::cold, gnu::noinline]] bool begin_event_elsewhere(address slot) noexcept;
    [[gnu::cold, gnu::noinline]] bool grow_to(address word) noexcept;
    [[nodiscard]] bool on_own_stack(address word) const noexcept {
        return word >= own_begin_ && word + sizeof(address) <= own_end_;
    }
    bool find_own_stack(address begin, address end) noexcept;
    void enter_own_stack() noexcept;

    // The stack of the last event.
    address begin_ = 0;
    address end_ = 0;
    address lasting_end_ =
        0; ///< `end_` if this is the thread's own stack and all words were in the ranges; else 0
    // The thread's own stack, once it is known.
    address own_begin_ = 0;
    address own_end_ = 0;
    address own_top_ = 0;  ///< a word above all frames of that stack
    bool strayed_ = false; ///< words outside of both ranges were accepted, for the last event only
};

/// Returns: true if the page at `page` can be read; asks the kernel, without a side effect.
/// Complexity: a system call. In a sandbox there is none, and no page counts as readable.
bool page_is_readable(address page) noexcept;

} // namespace mallard::recorder::unwind
