#include "recorder/log/recording.hpp"

#include "recorder/log/thread_log.hpp"
#include "recorder/marks/marked_files.hpp"
#include "recorder/system/environment.hpp"
#include "recorder/system/sandbox.hpp"
#include "recorder/system/stamp_cost.hpp"
#include "recorder/system/thread.hpp"
#include "recorder/system/time_stamp.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace mallard::recorder {

constinit recording the_recording;

namespace {

// A process that is killed ends at the time of its last chunk; the collector knows the end of its own child.
[[gnu::destructor]] void end_of_process() noexcept {
    the_recording.note_end();
}

} // namespace

bool recording::begin() noexcept {
    if (in_sandbox()) {
        return leave_in_sandbox();
    }
    const int saved_errno = errno;
    state expected = state_.load(std::memory_order_acquire);
    for (;;) {
        if (expected == state::off) {
            return false;
        }
        if (expected == state::on && !forked()) {
            return !part.is_idle();
        }
        // In the child of a fork, the thread that was beginning may not exist any more.
        const bool alone = expected != state::beginning || (process_mark_ != nullptr && *process_mark_ == 0);
        if (!alone) {
            ::sched_yield();
            expected = state_.load(std::memory_order_acquire);
        } else if (state_.compare_exchange_weak(expected, state::beginning)) {
            break;
        }
    }
    const uncancelled until_the_end;
    // A preloaded library may replace getpid, and allocate there. Without the mark its event would wait for this one.
    is_of_recorder = true;
    const bool works = begin_process();
    is_of_recorder = false;
    state_.store(works ? state::on : state::off, std::memory_order_release);
    errno = saved_errno;
    return works && !part.is_idle();
}

/// The child of a fork in a sandbox: it cannot open a part, but shares all mappings of its parent.
/// Returns: false.
bool recording::leave_in_sandbox() noexcept {
    if (state_.exchange(state::off) == state::on) {
        part.header().forks_not_followed.fetch_add(1, std::memory_order_relaxed);
    }
    return false;
}

bool recording::begin_process() noexcept {
    if (process_mark_ == nullptr) {
        const environment settings = environment::read();
        folder_.add(settings.folder == nullptr ? "" : settings.folder);
        follow_ = settings.follow;
        // The program and its children see the user's environment.
        if (settings.folder != nullptr && !follow_) {
            remove_variables("MALLARD_RECORD");
        }
        stacks = settings.stacks;
        sample_one_in = settings.sample;
        rules.walk_frame_pointers(stacks == trace::stack_source::frame_pointers);
        process_mark_ =
            static_cast<const volatile std::uint32_t*>(memory_wiped_at_fork(sizeof(std::uint32_t)));
        if (folder_.length() == 0 || process_mark_ == nullptr || (sample_one_in > 1 && !sampled.open())) {
            return false;
        }
        const bool works = open_part();
        if (works && follow_) {
            part.header().counted_as_not_followed.store(1, std::memory_order_release);
        }
        return works;
    }
    if (follow_) {
        forget_code();
        names.forget();
        if (sample_one_in > 1) {
            sampled.clear();
        }
    }
    // The child may lack the right, or the room, for its own part. Then only the parent can count it.
    trace::part_header* const parent_header = part.leave();
    const bool works = follow_ && open_part();
    if (!works && parent_header != nullptr) {
        parent_header->forks_not_followed.fetch_add(1, std::memory_order_relaxed);
    }
    part_file::leave_header(parent_header);
    return works;
}

bool recording::attach(const char* folder, trace::stack_source source, std::uint32_t sample) noexcept {
    state_.store(state::beginning, std::memory_order_release);
    if (forked()) {
        part_file::leave_header(part.leave()); // of the parent
    }
    folder_.clear().add(folder);
    follow_ = false;
    stacks = source;
    sample_one_in = sample;
    rules.walk_frame_pointers(stacks == trace::stack_source::frame_pointers);
    forget_code();
    names.forget();
    is_connected_ = false;
    attachments_.fetch_add(1);
    if (process_mark_ == nullptr) {
        process_mark_ =
            static_cast<const volatile std::uint32_t*>(memory_wiped_at_fork(sizeof(std::uint32_t)));
    }
    if (sample_one_in > 1 && has_sampled_) {
        sampled.clear();
    }
    has_sampled_ = has_sampled_ || (sample_one_in > 1 && sampled.open());
    const bool works = process_mark_ != nullptr && (sample_one_in == 1 || has_sampled_) && open_part();
    state_.store(works ? state::on : state::off, std::memory_order_release);
    return works;
}

void recording::detach() noexcept {
    part.note_time();
    end(trace::stop_reason::requested);
    attachments_.fetch_add(1);
    close_all_logs();
    part.detach();
}

bool recording::open_part() noexcept {
    *const_cast<volatile std::uint32_t*>(process_mark_) = 1;
    if (!part.open(folder_.text(), stacks)) {
        return false;
    }
    // The child of a fork inherits all this. There the loader's lock may be held for ever: by a thread of the parent that was
    // iterating over the loaded files.
    if (!is_connected_) {
        unloaded.begin();
        connect_marked_files(own_functions);
        is_connected_ = true;
    }
    part.header().sampled_one_in = sample_one_in;
    part.header().timed_one_in = time_one_in;
    part.header().stamp_ticks = mean_stamp_ticks([] { return ordered_time_stamp(); }) + 1; // of write_ticks
    return true;
}

void recording::end(trace::stop_reason reason) noexcept {
    part.stop(reason);
    state_.store(state::off, std::memory_order_release);
}

} // namespace mallard::recorder
