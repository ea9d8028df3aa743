/// The part of a stack that can be read without a fault.
///
/// Data model: one range of pages. The kernel was asked about each page once, when the range grew over it.
/// Invariant: a thread's stack stays while the thread runs on it, so the range is true until the thread runs on
/// another stack. `holds` begins again then.
#pragma once

#include "recorder/dwarf/byte_cursor.hpp"

#include <cstdint>

namespace mallard::recorder::unwind {

class readable_range {
public:
    /// Effects: asks the kernel for pages that are new. If the word is far from the range, the thread has changed its
    /// stack, and the range begins at the word.
    /// Returns: true if the eight bytes at `word` can be read.
    bool holds(address word) noexcept {
        if (word >= begin_ && word + sizeof(address) <= end_) [[likely]] {
            return true;
        }
        return grow_to(word);
    }

    [[nodiscard]] address begin() const noexcept { return begin_; }
    [[nodiscard]] address end() const noexcept { return end_; }

    /// Effects: forgets all pages.
    void clear() noexcept { begin_ = end_ = 0; }

private:
    bool grow_to(address word) noexcept;

    address begin_ = 0;
    address end_ = 0;
};

/// Returns: true if the page at `page` can be read; asks the kernel, and changes nothing.
/// Complexity: a system call.
bool page_is_readable(address page) noexcept;

} // namespace mallard::recorder::unwind
