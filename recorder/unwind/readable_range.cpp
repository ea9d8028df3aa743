#include "recorder/unwind/readable_range.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace mallard::recorder::unwind {

namespace {

constexpr address page_bytes = 4096;
// A stack that grows by more than this at once is taken for another stack. Its walk is then a full one.
constexpr address most_pages_at_once = 256;
constexpr int no_such_way = -1;

constexpr address page_of(address word) noexcept {
    return word & ~(page_bytes - 1);
}

} // namespace

// The kernel reads the signal set before it looks at the first argument, so the answer is EFAULT or EINVAL.
bool page_is_readable(address page) noexcept {
    const int before = errno;
    const long answer = ::syscall(SYS_rt_sigprocmask, no_such_way, page, nullptr, sizeof(address));
    const bool readable = answer == 0 || errno != EFAULT;
    errno = before;
    return readable;
}

bool readable_range::grow_to(address word) noexcept {
    if (word % sizeof(address) != 0) {
        return false;
    }
    const address page = page_of(word);
    if (page == 0 || !page_is_readable(page)) {
        return false;
    }
    const bool below = page < begin_ && begin_ - page <= most_pages_at_once * page_bytes;
    const bool above = page >= end_ && end_ != 0 && page - end_ < most_pages_at_once * page_bytes;
    if (!below && !above) {
        begin_ = page;
        end_ = page + page_bytes;
        return true;
    }
    // A hole between the two parts is the end of one stack and the beginning of another.
    const address first = below ? page + page_bytes : end_;
    const address last = below ? begin_ : page;
    for (address between = first; between < last; between += page_bytes) {
        if (!page_is_readable(between)) {
            begin_ = page;
            end_ = page + page_bytes;
            return true;
        }
    }
    if (below) {
        begin_ = page;
    } else {
        end_ = page + page_bytes;
    }
    return true;
}

} // namespace mallard::recorder::unwind
