/// Work inside of malloc that must not cancel the thread.
#pragma once

#include <pthread.h>

namespace mallard::recorder {

/// malloc is not a cancellation point, but open, close, read and posix_fallocate are. While an object of this class lives, they
/// ignore a pending cancellation.
class uncancelled {
public:
    uncancelled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &previous_); }
    uncancelled(const uncancelled&) = delete;
    uncancelled& operator=(const uncancelled&) = delete;
    ~uncancelled() { ::pthread_setcancelstate(previous_, nullptr); }

private:
    int previous_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace mallard::recorder
