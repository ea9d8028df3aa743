/// Work inside of malloc that may not end the thread.
#pragma once

#include <pthread.h>

namespace mallard::recorder {

/// malloc is no cancellation point, but open, close, read and posix_fallocate are. While an object of this class lives, none of
/// them acts on a cancellation that is pending.
class uncancelled {
public:
    uncancelled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    uncancelled(const uncancelled&) = delete;
    uncancelled& operator=(const uncancelled&) = delete;
    ~uncancelled() { ::pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace mallard::recorder
