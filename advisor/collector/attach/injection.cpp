#include "collector/attach/injection.hpp"

#include "collector/attach/call_stack.hpp"
#include "collector/attach/injected_code.hpp"
#include "collector/failure.hpp"
#include "recorder/arch/arch.hpp"

#if defined(__x86_64__)

#include <elf.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mallard::collector {

namespace {

using std::chrono::steady_clock;

constexpr auto most_search = std::chrono::seconds(5);
constexpr auto most_start = std::chrono::seconds(10);
constexpr auto most_stop = std::chrono::seconds(2); ///< a thread may wait for a disk
constexpr std::size_t data_bytes = trace::attachment_data_bytes;
constexpr std::size_t attachment_bytes = std::size_t{8} << 10;
constexpr std::size_t code_bytes = trace::attachment_code_bytes;
constexpr std::size_t red_zone = 128;
constexpr address most_guard_bytes = address{64} << 10;
constexpr int syscall_stop = SIGTRAP | 0x80;  // PTRACE_O_TRACESYSGOOD
constexpr std::uint64_t futex_command = 0x7f; // without the flags

constexpr std::uint64_t all_signals = ~std::uint64_t{0};
constexpr int cancel_signal = 32; ///< of the C library; it may end the thread
static_assert(sizeof(trace::attachment) <= attachment_bytes);

// Kernel-internal errors: the call was interrupted, and is to be repeated.
constexpr long restart_sys = -512;
constexpr long restart_no_interrupt = -513;
constexpr long restart_no_handler = -514;
constexpr long restart_block = -516;

void pause_for(std::chrono::nanoseconds time) noexcept {
    const timespec pause{0, static_cast<long>(time.count())};
    ::nanosleep(&pause, nullptr);
}

/// The kernel's signal frame behind its return address (struct ucontext of x86-64).
struct signal_frame {
    std::uint64_t flags = 0;
    std::uint64_t link = 0;
    std::array<std::uint64_t, 3> stack{}; ///< all 0: no valid stack, so rt_sigreturn keeps the present one
    std::uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
    std::uint16_t cs, gs, fs, ss;
    std::uint64_t error = 0, trap = 0, old_mask = 0, fault = 0;
    std::uint64_t vectors = 0; ///< address
    std::array<std::uint64_t, 8> reserved{};
    std::uint64_t mask = 0;
};
static_assert(sizeof(signal_frame) == 304);

constexpr bool is_restart(long result) noexcept {
    return result == restart_sys || result == restart_no_interrupt || result == restart_no_handler ||
           result == restart_block;
}

bool is_restarted(const user_regs_struct& regs) noexcept {
    return static_cast<long>(regs.orig_rax) >= 0 && is_restart(static_cast<long>(regs.rax));
}

/// Returns: the registers with which the thread goes on without the kernel's help: an interrupted call is repeated.
user_regs_struct repeating(user_regs_struct regs) noexcept {
    if (is_restarted(regs)) {
        regs.rax = regs.orig_rax;
        regs.rip -= 2;
    }
    regs.orig_rax = static_cast<unsigned long long>(-1);
    return regs;
}

/// Returns: true if a thread in this system call holds no lock of libc or malloc. FUTEX_WAIT is the wait for such a lock; that of
/// condition variables and joins has a bit set.
bool is_harmless_wait(const user_regs_struct& regs) noexcept {
    switch (static_cast<long>(regs.orig_rax)) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_read:
    case SYS_restart_syscall: // a wait of limited time, after an earlier stop
        return true;
    case SYS_futex:
        return (regs.rsi & futex_command) == FUTEX_WAIT_BITSET;
    default:
        return false;
    }
}

/// A thread of the process, stopped by ptrace. The destructor lets it go on. A thread that does not stop is a failure, because
/// only the end of the collector lets it go on: if it stopped later, nobody would notice.
class stopped_thread {
public:
    /// Effects: stops the thread.
    /// Throws: failure if it may not be traced, or does not stop.
    stopped_thread(pid_t thread, const target& process) : thread_(thread), process_(process) {
        if (::ptrace(PTRACE_SEIZE, thread, nullptr, PTRACE_O_TRACESYSGOOD) != 0) {
            if (errno == EPERM && !process.has_ended(thread)) {
                process.refuse_traced(thread);
                throw process.untraceable();
            }
            return; // it has ended
        }
        is_traced_ = true;
        ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
        if (const std::optional<int> status = wait_for_stop()) {
            pending_signal_ = delivered_signal(*status);
            is_usable_ = *status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8) && read();
        } else if (is_traced_) {
            throw unresponsive();
        }
    }
    stopped_thread(const stopped_thread&) = delete;
    stopped_thread& operator=(const stopped_thread&) = delete;
    ~stopped_thread() {
        if (is_stopped_) {
            ::ptrace(PTRACE_DETACH, thread_, nullptr, static_cast<long>(pending_signal_));
        }
    }

    /// Returns: true if a call of pthread_create from this place is safe. `has_new_code` is set if the thread is in memory that was
    /// mapped after the unwinder was made.
    /// Throws: failure if the process has executed another program.
    [[nodiscard]] bool is_safe(unwinder& frames, bool& has_new_code) const {
        if (!is_usable_ || regs_.cs != 0x33 || frame_address(stack_top()) == 0) {
            return false;
        }
        process_.refuse_replaced();
        const bool waits = static_cast<long>(regs_.orig_rax) >= 0;
        if (waits ? !is_harmless_wait(regs_) : process_.is_in_libc(regs_.rip)) {
            return false;
        }
        const mapping stack = process_.find_mapping(regs_.rsp);
        if (!stack.rights.starts_with("rw")) {
            has_new_code = true;
            return false;
        }
        if (!is_whole_stack(stack) || frame_address(stack_top()) <= stack.begin + 2048) {
            return false;
        }
        const call_stack calls = frames.unwind(
            {regs_.rax, regs_.rdx, regs_.rcx, regs_.rbx, regs_.rsi, regs_.rdi, regs_.rbp, regs_.rsp, regs_.r8,
             regs_.r9, regs_.r10, regs_.r11, regs_.r12, regs_.r13, regs_.r14, regs_.r15, regs_.rip});
        has_new_code = has_new_code || calls.has_new_code;
        return calls.is_complete &&
               std::ranges::none_of(calls.code, [&](address code) { return process_.is_critical(code); });
    }

    /// Effects: has the thread start another one.
    void start(trace::attachment& settings, address mmap, address handler_end, address& attachment_at) {
        const address frame = frame_address(stack_top());
        write_frame(stack_top(), handler_end);
        try {
            const address data = call_mmap(mmap, frame, data_bytes, PROT_READ | PROT_WRITE);
            const address code = call_mmap(mmap, frame, code_bytes, PROT_READ | PROT_EXEC);
            const address far_frame = frame_address(data + data_bytes - 64);
            write_frame(data + data_bytes - 64, handler_end);
            settings.code = code;
            settings.start = code + start_offset;
            write(data, std::as_bytes(std::span(&settings, 1)));
            const std::vector<unsigned char> instructions = machine_code(data, far_frame);
            write(code, std::as_bytes(std::span(instructions)));
            user_regs_struct regs = regs_;
            regs.rip = code;
            regs.rsp = (far_frame - 1024) & ~address{15};
            create(regs, data);
            refuse_create_error(data);
            attachment_at = data;
        } catch (...) {
            restore();
            throw;
        }
        restore();
    }

private:
    [[nodiscard]] failure unresponsive() const {
        failure late("process " + std::to_string(process_.number()) +
                     " did not answer for 2 s: a thread waits for a disk, a child or a lock; try again");
        return late;
    }

    [[nodiscard]] failure ended() const {
        failure gone("process " + std::to_string(process_.number()) + " ended while the recorder was loaded");
        return gone;
    }

    /// Effects: `is_left_alone_` is set if the thread, which is stopped, has restored itself: its stack is not `data` any more.
    /// Returns: true if so, or if the thread is in the code. It may also be in the handler of setuid_signal, which returns to the
    /// code: as long as it does, both mappings are needed.
    bool has_left_handler(address code, address data) {
        user_regs_struct regs{};
        is_left_alone_ =
            ::ptrace(PTRACE_GETREGS, thread_, nullptr, &regs) != 0 || regs.rsp - data >= data_bytes;
        return is_left_alone_ || regs.rip - code < code_bytes;
    }

    /// Returns: the signal that the thread gets when it goes on; 0 if it stopped for another reason.
    static int delivered_signal(int status) noexcept {
        return status >> 16 == 0 && WSTOPSIG(status) != syscall_stop ? WSTOPSIG(status) : 0;
    }

    /// Returns: the status of a stop that has come; nothing if none has, or if the thread has ended.
    std::optional<int> next_stop() {
        int status = 0;
        const pid_t waited = ::waitpid(thread_, &status, __WALL | WNOHANG);
        is_stopped_ = waited == thread_ && WIFSTOPPED(status);
        is_traced_ = is_stopped_ || waited == 0 || (waited < 0 && errno == EINTR);
        return is_stopped_ ? std::optional(status) : std::nullopt;
    }

    /// Returns: the status of the next stop; nothing if the thread has ended, or does not stop.
    std::optional<int> wait_for_stop() {
        const auto end = steady_clock::now() + most_stop;
        for (;;) {
            const std::optional<int> status = next_stop();
            if (status || !is_traced_ || steady_clock::now() >= end) {
                return status;
            }
            pause_for(std::chrono::microseconds(20));
        }
    }

    bool read() {
        vectors_.resize(std::size_t{64} << 10);
        iovec buffer{vectors_.data(), vectors_.size()};
        if (::ptrace(PTRACE_GETREGS, thread_, nullptr, &regs_) != 0 ||
            ::ptrace(PTRACE_GETSIGMASK, thread_, sizeof mask_, &mask_) != 0 ||
            ::ptrace(PTRACE_GETREGSET, thread_, NT_X86_XSTATE, &buffer) != 0) {
            return false;
        }
        vectors_.resize(buffer.iov_len);
        return buffer.iov_len >= 576;
    }

    [[nodiscard]] address stack_top() const noexcept { return regs_.rsp - red_zone; }

    /// Returns: the address of a signal frame below `top`.
    [[nodiscard]] address frame_address(address top) const noexcept {
        return (vectors_address(top) - sizeof(signal_frame)) & ~address{15};
    }
    [[nodiscard]] address vectors_address(address top) const noexcept {
        return (top - vectors_.size() - 4) & ~address{63};
    }

    /// Returns: true if all of the mapping below the thread's frames belongs to its stack. That of a fiber may be a part of the heap.
    [[nodiscard]] bool is_whole_stack(const mapping& stack) const {
        const bool has_thread_pointer =
            thread_ != process_.number() && regs_.rsp < regs_.fs_base && regs_.fs_base < stack.end;
        if (stack.file == "[stack]" || has_thread_pointer) {
            return true;
        }
        // A heap of malloc may have a larger reserve below.
        const mapping guard = process_.find_mapping(stack.begin - 1);
        return guard.rights.starts_with("---") && guard.end - guard.begin <= most_guard_bytes;
    }

    void write_frame(address top, address handler_end) const {
        // The kernel takes the vector registers in the format of ptrace, with a description in the unused bytes.
        std::vector<unsigned char> vectors = vectors_;
        std::uint64_t features = 0;
        std::memcpy(&features, vectors.data() + 464, sizeof features);
        const auto size = static_cast<std::uint32_t>(vectors.size());
        const std::array<std::uint32_t, 5> description{0x46505853, size + 4,
                                                       static_cast<std::uint32_t>(features),
                                                       static_cast<std::uint32_t>(features >> 32), size};
        std::memset(vectors.data() + 464, 0, 48);
        std::memcpy(vectors.data() + 464, description.data(), sizeof description);
        const std::uint32_t end = 0x46505845;
        vectors.insert(vectors.end(), 4, 0);
        std::memcpy(vectors.data() + size, &end, sizeof end);

        const user_regs_struct from = repeating(regs_);
        signal_frame frame{};
        frame.flags = 7; // vector registers; the stack segment is stored, and exact
        frame.r8 = from.r8, frame.r9 = from.r9, frame.r10 = from.r10, frame.r11 = from.r11;
        frame.r12 = from.r12, frame.r13 = from.r13, frame.r14 = from.r14, frame.r15 = from.r15;
        frame.rdi = from.rdi, frame.rsi = from.rsi, frame.rbp = from.rbp, frame.rbx = from.rbx;
        frame.rdx = from.rdx, frame.rax = from.rax, frame.rcx = from.rcx, frame.rsp = from.rsp;
        frame.rip = from.rip, frame.eflags = from.eflags;
        frame.cs = static_cast<std::uint16_t>(from.cs), frame.ss = static_cast<std::uint16_t>(from.ss);
        frame.vectors = vectors_address(top);
        frame.mask = mask_;
        write(vectors_address(top), std::as_bytes(std::span(vectors)));
        write(frame_address(top), std::as_bytes(std::span(&frame, 1)));
        write(frame_address(top) - sizeof(address), std::as_bytes(std::span(&handler_end, 1)));
    }

    /// By ptrace, because /proc/PID/mem may be restricted.
    void write(address to, std::span<const std::byte> bytes) const {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(long)) {
            const std::size_t count = std::min(sizeof(long), bytes.size() - at);
            errno = 0;
            long word = count < sizeof word ? ::ptrace(PTRACE_PEEKDATA, thread_, to + at, nullptr) : 0;
            std::memcpy(&word, bytes.data() + at, count);
            if (errno != 0 || ::ptrace(PTRACE_POKEDATA, thread_, to + at, word) != 0) {
                throw failure("the memory of process " + std::to_string(process_.number()) +
                              " cannot be written: " + std::strerror(errno));
            }
        }
    }

    /// Throws: failure if the thread could not start another one.
    void refuse_create_error(address attachment) const {
        errno = 0;
        const auto error = static_cast<std::int32_t>(::ptrace(
            PTRACE_PEEKDATA, thread_, attachment + offsetof(trace::attachment, create_error), nullptr));
        if (errno == 0 && error != 0) {
            throw failure("process " + std::to_string(process_.number()) +
                          " cannot start a thread for the recorder: " + std::strerror(error) +
                          "; raise its limit of threads or of memory");
        }
    }

    address call_mmap(address mmap, address frame, std::size_t bytes, int rights) {
        user_regs_struct regs = regs_;
        regs.rip = mmap;
        regs.rsp = frame - sizeof(address);
        regs.rdi = 0;
        regs.rsi = bytes;
        regs.rdx = static_cast<unsigned long long>(rights);
        regs.rcx = MAP_PRIVATE | MAP_ANONYMOUS;
        regs.r8 = static_cast<unsigned long long>(-1);
        regs.r9 = 0;
        const long result = run(regs);
        if (result <= 0 && result > -4096) {
            throw failure("process " + std::to_string(process_.number()) +
                          " has no room for the recorder: " + std::strerror(static_cast<int>(-result)));
        }
        return static_cast<address>(result);
    }

    void set_mask(std::uint64_t mask) const noexcept {
        ::ptrace(PTRACE_SETSIGMASK, thread_, sizeof mask, &mask);
    }

    /// Effects: has the thread go on with these registers and blocked signals.
    void set_registers(user_regs_struct regs, std::uint64_t blocked) const noexcept {
        regs.orig_rax = static_cast<unsigned long long>(-1); // no call is restarted
        regs.eflags &= ~std::uint64_t{0x400};                // functions expect a clear direction flag
        ::ptrace(PTRACE_SETREGS, thread_, nullptr, &regs);
        // After the registers: from then on, the thread restores its mask itself.
        set_mask(blocked);
    }

    /// Effects: has the thread run with these registers until rt_sigreturn.
    /// Returns: the result of its last mmap.
    long run(const user_regs_struct& regs) {
        set_registers(regs, all_signals);
        long mapped = 0;
        std::uint64_t last_call = 0;
        for (long signal = 0;;) {
            ::ptrace(PTRACE_SYSCALL, thread_, nullptr, signal);
            signal = 0;
            const std::optional<int> status = wait_for_stop();
            if (!status) {
                throw is_traced_ ? unresponsive() : ended();
            }
            if (WSTOPSIG(*status) != syscall_stop) {
                signal = passed_signal(*status);
                continue;
            }
            __ptrace_syscall_info info{};
            ::ptrace(PTRACE_GET_SYSCALL_INFO, thread_, sizeof info, &info);
            if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
                last_call = info.entry.nr;
                if (last_call == SYS_rt_sigreturn) {
                    return mapped;
                }
            } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && last_call == SYS_mmap) {
                mapped = static_cast<long>(info.exit.rval);
            }
        }
    }

    /// Effects: has the thread run with these registers until it pauses behind its call of pthread_create.
    ///
    /// The call waits for locks. setuid and the like hold one until the handler of a signal has run in each thread, so that signal is
    /// not blocked, and the thread does not stop for system calls: the handler would take so long that another thread had
    /// the lock again. The program's signals are blocked, because a handler may jump out of the call. A holder
    /// of a lock may wait for one of them as well, as collectors of garbage stop all threads. So they come after a while.
    /// Throws: failure if the call does not return. It goes on then, as if the program had called.
    void create(const user_regs_struct& regs, address data) {
        set_registers(regs, ~signal_bit(setuid_signal));
        ::ptrace(PTRACE_CONT, thread_, nullptr, nullptr);
        is_stopped_ = false;
        for (const auto end = steady_clock::now() + most_stop; steady_clock::now() < end;) {
            std::uint32_t is_created = 0;
            std::ignore = process_.read_memory(data + offsetof(trace::attachment, is_created),
                                               std::as_writable_bytes(std::span(&is_created, 1)));
            if (is_created != 0) {
                interrupt();
                if (has_left_handler(regs.rip, data)) {
                    return;
                }
                ::ptrace(PTRACE_CONT, thread_, nullptr, nullptr);
                is_stopped_ = false;
            }
            if (const std::optional<int> status = next_stop()) {
                ::ptrace(PTRACE_CONT, thread_, nullptr, static_cast<long>(passed_signal(*status)));
                is_stopped_ = false;
            } else if (!is_traced_) {
                throw ended();
            } else {
                pause_for(std::chrono::microseconds(20));
            }
        }
        interrupt();
        is_left_alone_ = true;
        set_mask((mask_ | signal_bit(cancel_signal)) & ~signal_bit(setuid_signal));
        const std::uint32_t cancelled = 1;
        write(data + offsetof(trace::attachment, cancelled), std::as_bytes(std::span(&cancelled, 1)));
        throw unresponsive();
    }

    /// Effects: stops the thread, which gets its signals first.
    /// Throws: failure if the thread does not stop.
    void interrupt() {
        ::ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr);
        for (;;) {
            const std::optional<int> status = wait_for_stop();
            if (!status) {
                throw is_traced_ ? unresponsive() : ended();
            }
            if (*status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8)) {
                return;
            }
            ::ptrace(PTRACE_CONT, thread_, nullptr, static_cast<long>(delivered_signal(*status)));
        }
    }

    /// Returns: the signal to go on with. Only those that are not blocked come: SIGKILL, SIGSTOP, that of setuid, and a fault.
    /// Throws: failure for a fault.
    [[nodiscard]] int passed_signal(int status) const {
        const int signal = delivered_signal(status);
        if (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE) {
            throw failure("process " + std::to_string(process_.number()) +
                          " failed to call its C library (signal " + std::to_string(signal) +
                          ") and was restored; record it from its start: mallard record -- PROGRAM");
        }
        return signal;
    }

    /// Effects: restores the thread. If it is about to call the kernel, the call is skipped.
    /// Throws: failure if the thread does not stop again.
    void restore() {
        if (!is_stopped_ || is_left_alone_) {
            return; // it restores itself
        }
        user_regs_struct regs = repeating(regs_);
        iovec buffer{vectors_.data(), vectors_.size()};
        // The general registers come last: until then, the thread would restore itself.
        ::ptrace(PTRACE_SETREGSET, thread_, NT_X86_XSTATE, &buffer);
        set_mask(mask_);
        ::ptrace(PTRACE_SETREGS, thread_, nullptr, &regs);
        if (!is_restarted(regs_)) {
            return;
        }
        // After a stop for an interrupt or a signal, the kernel itself restarts the call, with the remaining time, or ends it
        // with EINTR.
        ::ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr);
        ::ptrace(PTRACE_CONT, thread_, nullptr, nullptr);
        if (const std::optional<int> status = wait_for_stop()) {
            pending_signal_ = delivered_signal(*status);
            ::ptrace(PTRACE_SETREGS, thread_, nullptr, &regs_);
        } else if (is_traced_) {
            throw unresponsive();
        }
    }

    pid_t thread_;
    const target& process_;
    bool is_traced_ = false;
    bool is_stopped_ = false;
    bool is_usable_ = false;
    bool is_left_alone_ = false; ///< it has restored itself, or will do so
    int pending_signal_ = 0;
    user_regs_struct regs_{};
    std::uint64_t mask_ = 0;
    std::vector<unsigned char> vectors_;
};

/// Returns: the address of the attachment.
address start_thread(target& process, trace::attachment& settings) {
    settings.pthread_create = process.libc_function("pthread_create");
    settings.dlopen = process.libc_function("dlopen");
    settings.dlsym = process.libc_function("dlsym");
    settings.dlerror = process.libc_function("dlerror");
    // Before a thread is stopped: to read the symbols takes its time.
    const address mmap = process.libc_function("mmap");
    const address handler_end = process.sigreturn();
    auto frames = std::make_unique<unwinder>(process);
    const auto end = steady_clock::now() + most_search;
    do {
        const std::vector<pid_t> threads = process.threads();
        if (threads.empty()) {
            throw failure("process " + std::to_string(process.number()) + " has ended");
        }
        bool has_new_code = false;
        for (const pid_t thread : threads) {
            if (process.is_uninterruptible(thread)) {
                continue; // as the parent of a vfork
            }
            stopped_thread borrowed(thread, process);
            if (borrowed.is_safe(*frames, has_new_code)) {
                address attachment_at = 0;
                borrowed.start(settings, mmap, handler_end, attachment_at);
                return attachment_at;
            }
        }
        if (has_new_code) {
            process.update_mappings();
            frames = std::make_unique<unwinder>(process);
        }
        pause_for(std::chrono::milliseconds(1));
    } while (steady_clock::now() < end);
    throw failure(
        "no thread of process " + std::to_string(process.number()) +
        " was in a place where the recorder can start safely, for 5 s: all were in the C library, in signal "
        "handlers, or called from code without unwind information (.eh_frame), as that of JIT compilers; try "
        "again");
}

} // namespace

remote_attachment::remote_attachment(pid_t process, address at)
    : memory_(::open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDWR | O_CLOEXEC)), at_(at) {}

remote_attachment::remote_attachment(remote_attachment&& other) noexcept
    : memory_(std::exchange(other.memory_, -1)), at_(other.at_) {}

remote_attachment::~remote_attachment() {
    if (memory_ >= 0) {
        release();
        ::close(memory_);
    }
}

void remote_attachment::release() const noexcept {
    const std::uint32_t released = 1;
    (void)!::pwrite(memory_, &released, sizeof released,
                    static_cast<off_t>(at_ + offsetof(trace::attachment, is_released)));
}

bool remote_attachment::read_state(trace::attachment_state& state) const noexcept {
    trace::attachment current;
    if (::pread(memory_, &current, sizeof current, static_cast<off_t>(at_)) != ssize_t{sizeof current} ||
        current.collector != static_cast<std::uint32_t>(::getpid())) {
        return false;
    }
    state = current.state;
    return true;
}

void remote_attachment::cancel() const noexcept {
    const std::uint32_t cancelled = 1;
    (void)!::pwrite(memory_, &cancelled, sizeof cancelled,
                    static_cast<off_t>(at_ + offsetof(trace::attachment, cancelled)));
}

std::string remote_attachment::error_text() const {
    std::uint64_t text_at = 0;
    std::array<char, 512> text{};
    (void)!::pread(memory_, &text_at, sizeof text_at,
                   static_cast<off_t>(at_ + offsetof(trace::attachment, error_text)));
    (void)!::pread(memory_, text.data(), text.size() - 1, static_cast<off_t>(text_at));
    return text.data();
}

remote_attachment attach(target& process, trace::attachment settings) {
    const std::string name = "process " + std::to_string(process.number());
    remote_attachment result(process.number(), start_thread(process, settings));
    auto state = trace::attachment_state::starting;
    for (const auto end = steady_clock::now() + most_start; steady_clock::now() < end;) {
        if (!result.read_state(state)) {
            throw failure(name + " ended while the recorder was loaded");
        }
        if (state != trace::attachment_state::starting) {
            break;
        }
        pause_for(std::chrono::milliseconds(1));
    }
    switch (state) {
        using enum trace::attachment_state;
    case recording:
    case ended:
        result.release();
        return result;
    case no_library:
        throw failure(name + " cannot load the recorder: " + result.error_text());
    case is_preloaded:
        throw failure(name +
                      " was started by mallard record, and cannot be recorded again; start it without");
    case is_busy:
        throw failure(name + " is being recorded already");
    case no_part:
        throw failure(name +
                      " cannot create a file in the folder of the trace, or has no memory for the recorder; "
                      "give a folder that it may write to with -o");
    case old_kernel:
        throw failure("--pid needs Linux 5.14 or later");
    case starting:
    case was_cancelled:
        break;
    }
    result.cancel();
    throw failure(name + " did not start the recorder in 10 s: its loader is busy; try again");
}

} // namespace mallard::collector

#else

namespace mallard::collector {

remote_attachment::remote_attachment(pid_t, address at) : memory_(-1), at_(at) {}
remote_attachment::remote_attachment(remote_attachment&& other) noexcept : memory_(-1), at_(other.at_) {}
remote_attachment::~remote_attachment() = default;
bool remote_attachment::read_state(trace::attachment_state&) const noexcept {
    return false;
}
void remote_attachment::release() const noexcept {}
void remote_attachment::cancel() const noexcept {}
std::string remote_attachment::error_text() const {
    return {};
}

remote_attachment attach(target&, trace::attachment) {
    throw failure(
        "--pid is available on x86-64 only; start the program with mallard: mallard record -- PROGRAM");
}

} // namespace mallard::collector

#endif
