#include "recorder/interpose/event.hpp"

#include "recorder/interpose/allocator_functions.hpp"

namespace mallard::recorder {

void prepare_for_sandbox() noexcept {
    end_attachment();
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

void note_end() noexcept {
    the_recording.note_end();
}

namespace {

// A process that is killed, or calls _exit, leaves its live blocks uncounted.
[[gnu::destructor]] void count_large_blocks() {
    if (!the_recording.large.any() || in_sandbox()) {
        return;
    }
    const event current(MALLARD_FRAME);
    if (thread_log* const log = current.log(); log != nullptr && the_recording.part.is_of_this_process()) {
        log->write_large_blocks();
    }
}

} // namespace

/// They are not followed, until they open a part.
void count_programs(int programs) noexcept {
    if (the_recording.on() || the_recording.is_idle()) {
        the_recording.part.header().programs_not_followed.fetch_add(
            static_cast<std::uint64_t>(std::int64_t{programs}), std::memory_order_relaxed);
    }
}

// A file is written to the trace when a rule for its code is added, and registered code is in no file.
void forget_registered_code() noexcept {
    the_recording.rules.clear();
}

} // namespace mallard::recorder
