#include "thread_rooms.hpp"

#include "../../platform/threads.hpp"

#include <mallard/impl/threads/process_mark.hpp>
#include <mallard/upstream/pages.hpp>

#include <utility>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

namespace {

/// The thread of a room that is never taken from it: the library cannot detect the thread's end.
constexpr long unknown_thread = -1;

} // namespace

thread_rooms::room* thread_rooms::take(bool& is_new) noexcept {
    const core::lock_guard lock(mutex_);
    const process_mark::entry process = this_process.current();
    if (std::exchange(generation_, process.generation) != process.generation) {
        abandon_rooms_of_parent();
    }
    is_new = false;
    room* taken = find_abandoned(process.process);
    if (taken == nullptr && free_ != nullptr) {
        taken = std::exchange(free_, free_->next_free);
    }
    if (taken == nullptr) {
        is_new = true;
        void* const memory = pages().try_allocate(bytes_);
        if (memory == nullptr) {
            return nullptr;
        }
        taken = ::new (memory) room;
        taken->previous = std::exchange(newest_, taken);
    }
    // A child of vfork() leaves the room to the thread of its parent that waits for it.
    taken->thread = process.process == platform::this_process() ? platform::this_thread() : unknown_thread;
    return taken;
}

/// Effects: in the child of a fork, has no thread take the rooms that threads of the parent had.
void thread_rooms::abandon_rooms_of_parent() noexcept {
    for (room* r = newest_; r != nullptr; r = r->previous) {
        if (r->thread != 0) {
            r->thread = unknown_thread;
        }
    }
}

/// Returns: one of the next two rooms if its thread has ended without returning it; else null.
thread_rooms::room* thread_rooms::find_abandoned(long process) noexcept {
    for (int i = 0; i < 2; ++i) {
        looked_at_ =
            looked_at_ == nullptr || looked_at_->previous == nullptr ? newest_ : looked_at_->previous;
        if (looked_at_ == nullptr) {
            return nullptr;
        }
        if (looked_at_->thread > 0 && platform::has_ended(process, looked_at_->thread)) {
            return looked_at_;
        }
    }
    return nullptr;
}

void thread_rooms::put_back(room* emptied) noexcept {
    const core::lock_guard lock(mutex_);
    emptied->thread = 0;
    emptied->next_free = std::exchange(free_, emptied);
}

}} // namespace mallard::threads::MALLARD_LIBRARY
