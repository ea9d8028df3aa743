#include "recorder/log/recording.hpp"

#include "recorder/marks/marked_files.hpp"
#include "recorder/system/environment.hpp"
#include "recorder/system/sandbox.hpp"
#include "recorder/system/time_stamp.hpp"
#include "recorder/system/uncancelled.hpp"
#include "recorder/system/variables.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace mallard::recorder {

constinit recording the_recording;

namespace {

std::uint64_t least_ticks_between_stamps() noexcept {
    constexpr int tries = 64;
    std::uint64_t least = ~std::uint64_t{0};
    for (int each = 0; each < tries; ++each) {
        const std::uint64_t before = time_stamp();
        const std::uint64_t passed = time_stamp() - before;
        least = passed < least ? passed : least;
    }
    return least;
}

// A process that is killed, or calls _exit, has the time of its last chunk; the collector knows the time of its own child.
[[gnu::destructor]] void end_of_process() noexcept {
    the_recording.note_end();
}

} // namespace

bool recording::begin() noexcept {
    if (in_sandbox()) {
        return leave_in_sandbox();
    }
    const int before = errno;
    state expected = state_.load(std::memory_order_acquire);
    for (;;) {
        if (expected == state::off) {
            return false;
        }
        if (expected == state::on && !forked()) {
            return true;
        }
        // In the child of a fork another thread may have been beginning. It is not there any more.
        const bool alone = expected != state::beginning || (same_process_ != nullptr && *same_process_ == 0);
        if (!alone) {
            ::sched_yield();
            expected = state_.load(std::memory_order_acquire);
        } else if (state_.compare_exchange_weak(expected, state::beginning)) {
            break;
        }
    }
    const uncancelled until_the_end;
    const bool works = begin_here();
    state_.store(works ? state::on : state::off, std::memory_order_release);
    errno = before;
    return works;
}

/// The child of a fork, in a sandbox: it cannot open a part. It has all mappings of its parent.
/// Returns: false.
bool recording::leave_in_sandbox() noexcept {
    if (state_.exchange(state::off) == state::on) {
        part.header().forks_not_followed.fetch_add(1, std::memory_order_relaxed);
    }
    return false;
}

bool recording::begin_here() noexcept {
    if (same_process_ == nullptr) {
        const environment asked = environment::read();
        folder_.add(asked.folder == nullptr ? "" : asked.folder);
        follow_ = asked.follow;
        // The program and its children see the environment that the user has.
        if (asked.folder != nullptr && !follow_) {
            remove_variables("MALLARD_RECORD");
        }
        stacks = asked.stacks;
        sample_one_in = asked.sample;
        rules.walk_frame_pointers(stacks == trace::stack_source::frame_pointers);
        same_process_ =
            static_cast<const volatile std::uint32_t*>(memory_wiped_at_fork(sizeof(std::uint32_t)));
        if (folder_.length() == 0 || same_process_ == nullptr || (sample_one_in > 1 && !sampled.open())) {
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
    // The child may lack the right, or the room, for a part of its own. Then only its parent can tell that it was there.
    trace::part_header* const of_parent = part.leave();
    const bool works = follow_ && open_part();
    if (!works && of_parent != nullptr) {
        of_parent->forks_not_followed.fetch_add(1, std::memory_order_relaxed);
    }
    part_file::leave_header(of_parent);
    return works;
}

bool recording::open_part() noexcept {
    *const_cast<volatile std::uint32_t*>(same_process_) = 1;
    stamp_ticks = least_ticks_between_stamps();
    if (!part.open(folder_.text(), stacks)) {
        return false;
    }
    // The child of a fork has all this from its parent. There the loader may be locked for ever: by another thread of the parent
    // that was going through the loaded files.
    if (!is_connected_) {
        unloaded.begin();
        connect_marked_files(own_functions);
        is_connected_ = true;
    }
    part.header().sampled_one_in = sample_one_in;
    part.header().timed_one_in = time_one_in;
    return true;
}

void recording::end(trace::stop_reason why) noexcept {
    part.stop(why);
    state_.store(state::off, std::memory_order_release);
}

} // namespace mallard::recorder
