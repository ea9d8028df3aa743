/// The entry of `mallard record --pid`, which has a new thread of the process load the recorder and call it.
///
/// The thread stays until the recording ends: it directs the slots of files that are loaded later to the recorder, and
/// restores all slots at the end, also if the collector was killed. The library stays loaded, because the program may have
/// copied addresses of its functions, and threads may be in them.

#include "recorder/interpose/event.hpp"
#include "recorder/interpose/interposed.hpp"
#include "recorder/interpose/next_functions.hpp"
#include "recorder/interpose/slots.hpp"
#include "recorder/log/recording.hpp"
#include "recorder/log/thread_log.hpp"
#include "recorder/system/system_text.hpp"
#include "recorder/system/thread.hpp"
#include "trace/attachment.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

using namespace mallard::recorder;
using mallard::trace::attachment;
using mallard::trace::attachment_state;

namespace {

constexpr long pause_nanoseconds = 50'000'000;
// A thread may resolve a slot while it is patched, and then overwrites it. So the first rounds all patch.
constexpr int first_rounds = 3;

/// The recorded process: the child of a fork inherits the variable, but not the thread that records. 0 if there is none.
constinit std::atomic<pid_t> attached_process{0};
/// The last thread that recorded this process. 0 if none did, or if it was seen to have ended.
constinit std::atomic<pid_t> recording_thread{0};
/// True once the program asked for a sandbox: the thread then ends without a system call that it can omit.
constinit std::atomic<bool> must_leave{false};

/// Held while the recorder may hold the lock of the loader's list of files, which fork does not release in the child.
pthread_mutex_t list_in_use = PTHREAD_MUTEX_INITIALIZER;
__thread bool is_list_reserved [[gnu::tls_model("initial-exec")]] = false;

class list_use {
public:
    list_use() noexcept { ::pthread_mutex_lock(&list_in_use); }
    list_use(const list_use&) = delete;
    list_use& operator=(const list_use&) = delete;
    ~list_use() { ::pthread_mutex_unlock(&list_in_use); }
};

/// A thread that forks inside of dlopen may have what the recorder waits for, so the time is limited.
void before_fork() noexcept {
    timespec end{};
    ::clock_gettime(CLOCK_REALTIME, &end);
    ++end.tv_sec;
    is_list_reserved = ::pthread_mutex_timedlock(&list_in_use, &end) == 0;
}

void after_fork() noexcept {
    if (is_list_reserved) {
        is_list_reserved = false;
        ::pthread_mutex_unlock(&list_in_use);
    }
}

void after_fork_in_child() noexcept {
    is_list_reserved = false;
    list_in_use = PTHREAD_MUTEX_INITIALIZER;
}

void wait_a_round() noexcept {
    const timespec pause{0, pause_nanoseconds};
    ::nanosleep(&pause, nullptr);
}

/// A process that has ended stays a zombie until its parent takes its status. It has no executable then. Nothing is opened to see
/// that, because the program may expect the number of its next file descriptor.
bool has_ended(std::uint32_t collector) noexcept {
    if (::kill(static_cast<pid_t>(collector), 0) != 0) {
        return errno == ESRCH;
    }
    path_text executable;
    executable.add("/proc/").add(std::uint64_t{collector}).add("/exe");
    char byte = 0;
    return ::readlink(executable.text(), &byte, 1) < 0 && errno == ENOENT &&
           ::readlink("/proc/self/exe", &byte, 1) > 0; // the program may have another root folder now
}

void set_state(attachment& request, attachment_state state) noexcept {
    std::atomic_ref(request.state).store(state, std::memory_order_release);
}

attachment_state begin(const attachment& request) noexcept {
    static constinit bool watches_forks = false;
    if (!watches_forks) {
        watches_forks = ::pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
    }
    const list_use until_begun;
    void* const preceding = ::dlsym(RTLD_DEFAULT, "malloc");
    if (preceding == reinterpret_cast<void*>(&::malloc) && is_own_function(preceding)) {
        return attachment_state::is_preloaded;
    }
    become_attached();
    if (!find_slot_functions()) {
        return attachment_state::old_kernel;
    }
    return the_recording.attach(request.folder.data(), request.stacks, request.sampled_one_in)
               ? attachment_state::recording
               : attachment_state::no_part;
}

void record_until_end(std::uint32_t collector) noexcept {
    file_counts counts;
    bool is_complete = false;
    for (int round = 0; !the_recording.should_end() && !has_ended(collector); ++round) {
        if (round > 0) {
            wait_a_round();
        }
        const list_use until_patched;
        const file_counts current = file_counts::read();
        if (current.unloaded != counts.unloaded) {
            the_recording.forget_code();
        }
        if (round < first_rounds || !is_complete || current != counts) {
            counts = current;
            is_complete = patch_slots();
        }
    }
    // Pages that are still relocated hold no function of the recorder.
    const list_use until_restored;
    restore_slots();
    the_recording.detach();
}

/// Effects: unmaps the attachment, once the collector has released it. A collector that was killed may have left the borrowed
/// thread in the code, so the mappings stay then; they also stay where a sandbox cannot wait for the collector.
void unmap(attachment* request, std::uint32_t collector) noexcept {
    constexpr timespec pause{0, 1'000'000};
    while (std::atomic_ref(request->is_released).load(std::memory_order_acquire) == 0) {
        if (must_leave.load() || has_ended(collector)) {
            return;
        }
        ::nanosleep(&pause, nullptr);
    }
    ::munmap(reinterpret_cast<void*>(request->code), mallard::trace::attachment_code_bytes);
    ::munmap(request, mallard::trace::attachment_data_bytes);
}

/// Returns: the state in which the attachment ends.
attachment_state serve(attachment& request) noexcept {
    if (std::atomic_ref(request.cancelled).load() != 0) {
        return attachment_state::was_cancelled;
    }
    const pid_t process = ::getpid();
    if (attached_process.exchange(process) == process) {
        return attachment_state::is_busy;
    }
    must_leave.store(false);
    recording_thread.store(::gettid());
    const attachment_state state = begin(request);
    if (state == attachment_state::recording) {
        set_state(request, state);
        record_until_end(request.collector);
    }
    attached_process.store(0);
    return state == attachment_state::recording ? attachment_state::ended : state;
}

} // namespace

/// A sandbox may end the process for the system calls of the thread, which cannot restore the slots without them. So the thread
/// has to be gone, also where it only waits for the collector after a recording. The time is limited, because a thread in dlopen
/// may hold what the recording thread waits for.
void mallard::recorder::end_attachment() noexcept {
    constexpr int most_pauses = 5000;
    constexpr timespec pause{0, 1'000'000};
    const pid_t thread = recording_thread.load();
    if (thread == 0) {
        return;
    }
    const pid_t process = ::getpid();
    must_leave.store(true);
    if (attached_process.load() == process) {
        the_recording.end(mallard::trace::stop_reason::requested);
    }
    for (int pauses = 0; pauses < most_pauses; ++pauses) {
        if (::tgkill(process, thread, 0) != 0) {
            recording_thread.store(0);
            return;
        }
        ::nanosleep(&pause, nullptr);
    }
}

MALLARD_INTERPOSED void mallard_record_attach(attachment* request) noexcept {
    is_of_recorder = true;
    ::pthread_detach(::pthread_self());
    const std::uint32_t collector = request->collector;
    set_state(*request, serve(*request));
    unmap(request, collector);
}
