#include "recorder/system/readable_range.hpp"

#include "recorder/system/sandbox.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

// The loader's pointer to the argument count that the kernel put above all frames of the main thread.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the loader's name
extern "C" void* __libc_stack_end;

namespace mallard::recorder::unwind {

namespace {

// A stack that grows by more than this in one event is taken for another stack.
constexpr address most_bytes_at_once = 256 * page_bytes;
constexpr int invalid_operation = -1;

/// Returns: true if all pages of [begin, end) can be read.
/// Complexity: at most two system calls, if the kernel knows MADV_POPULATE_READ and all pages can be read.
bool are_readable(address begin, address end) noexcept {
    if (begin >= end) {
        return true;
    }
    if (!page_is_readable(begin)) {
        return false;
    }
    begin += page_bytes;
    const int saved_errno = errno;
    const bool populated =
        begin < end && ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ) == 0;
    errno = saved_errno;
    for (; !populated && begin < end; begin += page_bytes) {
        if (!page_is_readable(begin)) {
            return false;
        }
    }
    return true;
}

/// Returns: a word above the calling thread's frames, on its stack. libc puts a thread's descriptor at the top of the thread's
/// stack, except for the main thread.
address top_of_own_stack() noexcept {
    const bool is_main = ::syscall(SYS_gettid) == ::getpid();
    return is_main ? reinterpret_cast<address>(__libc_stack_end) : static_cast<address>(::pthread_self());
}

} // namespace

// The kernel copies the signal set before it validates the first argument, so errno is EFAULT or EINVAL.
bool page_is_readable(address page) noexcept {
    if (in_sandbox()) {
        return false;
    }
    const int saved_errno = errno;
    const long result = ::syscall(SYS_rt_sigprocmask, invalid_operation, page, nullptr, sizeof(address));
    const bool readable = result == 0 || errno != EFAULT;
    errno = saved_errno;
    return readable;
}

void readable_range::enter_own_stack() noexcept {
    begin_ = own_begin_;
    end_ = lasting_end_ = own_end_;
}

/// Effects: sets the thread's own stack to [begin, its top) if all pages in between can be read. Below a stack of libc's lies
/// a guard page.
/// Returns: true if it is set.
bool readable_range::find_own_stack(address begin, address end) noexcept {
    if (own_end_ != 0) {
        return false;
    }
    if (own_top_ == 0) {
        own_top_ = top_of_own_stack();
    }
    const address own_end = page_start(own_top_) + page_bytes;
    if (own_end <= begin || own_end - begin > most_bytes_at_once || !are_readable(end, own_end)) {
        return false;
    }
    own_begin_ = begin;
    own_end_ = own_end;
    return true;
}

bool readable_range::begin_event_elsewhere(address slot) noexcept {
    const address page = page_start(slot);
    const bool strayed = std::exchange(strayed_, false);
    const bool was_own = end_ != 0 && end_ == own_end_;
    if (on_own_stack(slot)) {
        enter_own_stack();
        return was_own && !strayed;
    }
    const bool is_near = page < end_ && (page >= begin_ || begin_ - page <= most_bytes_at_once);
    if (is_near && are_readable(page + page_bytes, was_own ? begin_ : end_)) {
        begin_ = std::min(begin_, page);
        if (was_own) {
            own_begin_ = begin_;
            enter_own_stack();
        }
        return !strayed;
    }
    begin_ = page;
    end_ = page + page_bytes;
    lasting_end_ = 0;
    if (find_own_stack(begin_, end_)) {
        enter_own_stack();
    }
    return false;
}

void readable_range::reach_down() noexcept {
    const bool is_own = end_ == own_end_;
    const address last = begin_ - most_bytes_at_once;
    while (begin_ > last && page_is_readable(begin_ - page_bytes)) {
        begin_ -= page_bytes;
    }
    if (is_own) {
        own_begin_ = begin_;
    }
}

bool readable_range::grow_to(address word) noexcept {
    if (on_own_stack(word)) {
        return true;
    }
    const address page = page_start(word);
    if (word % sizeof(address) != 0 || page == 0 || !page_is_readable(page)) {
        return false;
    }
    const bool is_own = end_ == own_end_;
    if (!is_own && page >= end_ && page - end_ < most_bytes_at_once && are_readable(end_, page)) {
        end_ = page + page_bytes;
        if (find_own_stack(begin_, end_)) {
            enter_own_stack();
        }
        return true;
    }
    if (find_own_stack(page, page + page_bytes)) {
        return true;
    }
    lasting_end_ = 0;
    strayed_ = true;
    return true;
}

} // namespace mallard::recorder::unwind
