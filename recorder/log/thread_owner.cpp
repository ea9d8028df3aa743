/// The table of all threads' logs, and their reuse.

#include "recorder/log/recording.hpp"
#include "recorder/log/thread_log.hpp"
#include "recorder/system/sandbox.hpp"
#include "recorder/system/thread_end.hpp"
#include "recorder/system/time_stamp.hpp"
#include "recorder/system/wiped_memory.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <new>

namespace mallard::recorder {

namespace {

constexpr address most_stack_bytes = address{1} << 30;

/// In a sandbox the answer is unknown; true loses events, but is safe.
bool on_alternate_stack() noexcept {
    if (in_sandbox()) {
        return true;
    }
    stack_t stack{};
    return ::sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

constexpr unsigned most_logs = 1U << 16;

constinit std::array<std::atomic<thread_log*>, most_logs> logs{};

constinit std::atomic<unsigned> log_count{0};

__thread thread_log* own_log [[gnu::tls_model("initial-exec")]] = nullptr;

std::uint32_t thread_id() noexcept {
    return static_cast<std::uint32_t>(::syscall(SYS_gettid));
}

bool has_exited(std::uint32_t thread) noexcept {
    const int saved_errno = errno;
    const bool exited = ::syscall(SYS_tgkill, ::getpid(), thread, 0) != 0;
    errno = saved_errno;
    return exited;
}

constinit thread_end end_of_threads([](void* log) { static_cast<thread_log*>(log)->thread_ends(); });

} // namespace

thread_log* thread_log::mine() noexcept {
    thread_log* const log = own_log;
    return log != nullptr && log->ready_ ? log : open_mine();
}

[[gnu::noinline]] thread_log* thread_log::open_mine() noexcept {
    thread_log* const former = own_log;
    const bool is_open = former != nullptr && former->opened_;
    if (lacks_stack()) {
        if (is_open) {
            the_recording.part.header().nested_events.fetch_add(1, std::memory_order_relaxed);
        }
        return nullptr;
    }
    if (is_open) {
        return former;
    }
    if (!the_recording.on()) {
        return nullptr;
    }
    if (in_sandbox()) {
        the_recording.part.header().events_of_unknown_threads.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    const std::uint32_t owner = thread_id();
    thread_log* const log = own_log != nullptr && own_log->take_over(owner) ? own_log : take(owner);
    if (log == nullptr) {
        the_recording.end(trace::stop_reason::no_memory);
        return nullptr;
    }
    own_log = log;
    return log->begin() ? log : nullptr;
}

/// Returns: the log of an exited thread, or a new one; null if there is no memory.
thread_log* thread_log::take(std::uint32_t owner) noexcept {
    const unsigned count = log_count.load(std::memory_order_acquire);
    for (unsigned index = 0; index < count && index < most_logs; ++index) {
        thread_log* const log = logs[index].load(std::memory_order_acquire);
        if (log != nullptr && log->take_over(owner)) {
            return log;
        }
    }
    void* const memory = memory_wiped_at_fork(sizeof(thread_log));
    if (memory == nullptr) {
        return nullptr;
    }
    auto* const log = new (memory) thread_log;
    log->owner_.store(owner, std::memory_order_relaxed);
    const unsigned place = log_count.fetch_add(1, std::memory_order_acq_rel);
    if (place < most_logs) {
        logs[place].store(log, std::memory_order_release);
    }
    return log;
}

/// Returns: true if the log had no owner, or an exited one, and is now the caller's.
bool thread_log::take_over(std::uint32_t owner) noexcept {
    std::uint32_t previous = owner_.load(std::memory_order_acquire);
    const bool available = previous == 0 || (ending_ && (previous == owner || has_exited(previous)));
    return available && owner_.compare_exchange_strong(previous, owner);
}

bool thread_log::begin() noexcept {
    // The parent of the fork had a stack. Its addresses were lost with the log.
    if (!stack_.is_open() && !stack_.open()) {
        return false;
    }
    inside_ = reinterpret_cast<address>(__builtin_frame_address(0));
    stack_.forget();
    number_ = the_recording.part.header().threads.fetch_add(1, std::memory_order_relaxed);
    // Without a callback at its end, the thread counts as ending from the start, and the system is asked whether it has exited.
    ending_ = !end_of_threads.expect(this);
    begins_ = 0;
    rules_seen_ = 0;
    open_.clear();
    opened_ = true;
    watch_stack();
    random_ = static_cast<std::uint32_t>(time_stamp()) | 1;
    sampler_.begin(the_recording.sample_one_in, random_);
    const bool works = at_ == nullptr ? next_chunk() : has_room(trace::most_event_bytes);
    if (works) {
        write_thread_begin();
    }
    inside_ = 0;
    return works;
}

void thread_log::thread_ends() noexcept {
    if (!opened_ || !enter(reinterpret_cast<address>(__builtin_frame_address(0)))) {
        return;
    }
    if (has_room(trace::most_event_bytes)) {
        publish(record_kind::thread_end, write_time(at_ + 1));
    }
    ending_ = true;
    leave();
}

/// Returns: true if the thread left the recorder by longjmp, out of a signal handler that had interrupted it.
bool thread_log::was_abandoned(address frame) noexcept {
    // The stack grows down. A handler's frame is inside of the frame that it interrupted, or on a separate stack.
    if (frame <= inside_ || frame - inside_ > most_stack_bytes || on_alternate_stack()) {
        the_recording.part.header().nested_events.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    stack_.forget();
    full_stack_ = true;
    return true;
}

} // namespace mallard::recorder
