#include "recorder/interpose/event.hpp"

#include "recorder/interpose/allocator_functions.hpp"

namespace mallard::recorder {

void prepare_for_sandbox() noexcept {
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log()) {
        log->prepare_for_sandbox(current.from());
    }
}

void watch_stack() noexcept {
    if (thread_log* const log = thread_log::mine()) {
        log->watch_stack();
    }
}

} // namespace mallard::recorder
