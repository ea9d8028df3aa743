/// mallard-measure DESCRIPTOR [--server] [NAME=VALUE ...] -- PROGRAM ARGUMENTS: runs a program with these variables,
/// and measures its process.
//
/// A process inherits the peak memory of the process that started it: a program started by an interpreter seems to
/// have the interpreter's peak. This program is small.
//
/// It writes one line to the descriptor if the program started: its status as wait() returns it, microseconds of CPU
/// time in user and in system mode, nanoseconds of wall time, peak memory in KiB, minor and major page faults.
/// Otherwise the line is "error" and the error number.
//
/// The program ends with this process. SIGTERM, which the kernel sends when a killed parent requested that with
/// PR_SET_PDEATHSIG, kills the whole group if this process leads it.
//
/// The eighth field of the line is the process ID of a daemon, or 0. A daemon is a fork of the program that has not
/// executed another one, as agents do, and that is alive a second after the program's end.
//
/// With --server, SIGUSR1 sends the program SIGTERM, and SIGTERM kills all of its processes, even those that left its
/// group. Processes that outlive the program are killed, too, and their number is the eighth field: 0 after SIGTERM.
//
/// Exit status: 0; 1 if the program did not start; 2 for invalid arguments.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

long long microseconds(const timeval& time) noexcept {
    return static_cast<long long>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

long long monotonic_nanoseconds() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<long long>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

extern "C" void end_group(int) {
    kill(0, SIGKILL);
}

volatile std::sig_atomic_t server = 0;     ///< process ID; 0 if the program has not started or has ended
volatile std::sig_atomic_t is_killing = 0; ///< after SIGTERM to this process

extern "C" void end_server(int) {
    if (server != 0) {
        kill(server, SIGTERM);
    }
}

extern "C" void kill_server(int) {
    is_killing = 1;
    if (server != 0) {
        kill(server, SIGKILL);
    }
}

/// The program's processes become children of this one when their parents end.
constexpr int pause_ms = 10;
constexpr int most_pauses = 100; // for processes that are about to end

void pause_for_remaining() noexcept {
    const timespec pause{0, pause_ms * 1'000'000L};
    nanosleep(&pause, nullptr);
}

/// Returns: true if there are children that have not ended.
bool reap_children() noexcept {
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    return ended == 0;
}

/// Returns: the number of children for which `act` was called, or -1 if the system does not name them.
template <class Act>
int for_each_child(Act act) {
    std::FILE* const children = std::fopen("/proc/thread-self/children", "re");
    if (children == nullptr) {
        return -1;
    }
    int count = 0;
    for (int child = 0; std::fscanf(children, "%d", &child) == 1; ++count) { // NOLINT(cert-err34-c)
        act(child);
    }
    std::fclose(children);
    return count;
}

/// Returns: the number of processes that had to be killed.
int end_remaining() noexcept {
    for (int count = 0; count < most_pauses && is_killing == 0; ++count) {
        if (!reap_children()) {
            return 0;
        }
        pause_for_remaining();
    }
    int killed = 0;
    for (;;) { // a killed process hands its children over
        int count = for_each_child([](pid_t child) { kill(child, SIGKILL); });
        if (count <= 0) {
            return count < 0 ? 1 : killed;
        }
        for (killed += count; count > 0; --count) {
            waitpid(-1, nullptr, 0);
        }
    }
}

constexpr std::size_t name_bytes =
    64; ///< the kernel's names have up to 15 characters, those of its own threads more

struct process_facts {
    char name[name_bytes]{}; ///< of the executable
    unsigned flags = 0;      ///< of the kernel's task
};

constexpr unsigned forked_without_exec = 0x40; // PF_FORKNOEXEC

/// Returns: facts of a process that may have ended, but was not waited for.
process_facts read_facts(pid_t process) noexcept {
    process_facts facts;
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/stat", process);
    std::FILE* const file = std::fopen(path, "re");
    if (file == nullptr) {
        return facts;
    }
    // NUMBER (NAME) STATE PARENT GROUP SESSION TERMINAL ITS-GROUP FLAGS: the name may have parentheses.
    char line[256]{};
    static_cast<void>(std::fread(line, 1, sizeof line - 1, file));
    std::fclose(file);
    const char* const begin = std::strchr(line, '(');
    const char* const end = std::strrchr(line, ')');
    if (begin != nullptr && end != nullptr && end - begin <= static_cast<std::ptrdiff_t>(name_bytes)) {
        std::memcpy(facts.name, begin + 1, static_cast<std::size_t>(end - begin) - 1);
        // NOLINTNEXTLINE(cert-err34-c)
        std::sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &facts.flags);
    }
    return facts;
}

/// Returns: the process ID of a daemon that the program of this name has become; 0 if there is none.
pid_t find_daemon(const char* program) noexcept {
    for (int count = 0;; ++count) {
        pid_t daemon = 0;
        if (reap_children()) {
            for_each_child([&](pid_t child) {
                const process_facts facts = read_facts(child);
                if (std::strcmp(facts.name, program) == 0 && (facts.flags & forked_without_exec) != 0) {
                    daemon = child;
                }
            });
        }
        if (daemon == 0 || count == most_pauses) {
            return daemon;
        }
        pause_for_remaining();
    }
}

/// Effects: waits for the end of the program, without reaping it. Orphans of the program are children, too.
void wait_for_end(pid_t program) noexcept {
    siginfo_t info{};
    for (;;) {
        if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0) {
            if (info.si_pid == program) {
                return;
            }
            waitpid(info.si_pid, nullptr, 0);
        } else if (errno != EINTR) {
            return;
        }
    }
}

/// Runs in the child: writes the error number to the pipe, which closes when the program begins.
[[noreturn]] void become(char** program, char** variables, int variable_count, int report, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { // the parent ended before the request
        _exit(127);
    }
    for (int index = 0; index < variable_count; ++index) {
        putenv(variables[index]);
    }
    // execvp runs a file of an unknown format as a shell script.
    if (std::strchr(program[0], '/') != nullptr) {
        execv(program[0], program);
    } else {
        execvp(program[0], program);
    }
    const int error = errno;
    static_cast<void>(!write(report, &error, sizeof error));
    _exit(127);
}

int fail(int result, int error) {
    dprintf(result, "error %d\n", error);
    return 1;
}

} // namespace

int main(int count, char** words) {
    const int result = count > 1 ? std::atoi(words[1]) : 0;
    const bool is_server = count > 2 && std::strcmp(words[2], "--server") == 0;
    const int variables = is_server ? 3 : 2;
    int dashes = variables;
    while (dashes < count && std::strcmp(words[dashes], "--") != 0) {
        if (std::strchr(words[dashes], '=') == nullptr) {
            dashes = count;
        } else {
            ++dashes;
        }
    }
    if (dashes + 1 >= count || result <= STDERR_FILENO || fcntl(result, F_SETFD, FD_CLOEXEC) != 0) {
        std::fprintf(stderr,
                     "mallard-measure: error: give DESCRIPTOR [--server] [NAME=VALUE ...] -- PROGRAM\n");
        return 2;
    }
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
        return fail(result, errno);
    }
    const pid_t own = getpid();
    const auto on_term = is_server          ? signal(SIGTERM, kill_server)
                         : getpgrp() == own ? signal(SIGTERM, end_group)
                                            : SIG_ERR;
    const auto on_usr1 = is_server ? signal(SIGUSR1, end_server) : SIG_ERR;
    const auto on_chld = signal(SIGCHLD, SIG_DFL); // children that are ignored leave no status
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const long long begin = monotonic_nanoseconds();
    const pid_t child = fork();
    if (child < 0) {
        return fail(result, errno);
    }
    if (child == 0) {
        signal(SIGCHLD, on_chld);
        if (on_term != SIG_ERR) {
            signal(SIGTERM, on_term);
        }
        if (on_usr1 != SIG_ERR) {
            signal(SIGUSR1, on_usr1);
        }
        become(words + dashes + 1, words + variables, dashes - variables, pipe_ends[1], own);
    }
    server = child;
    if (is_killing != 0) { // the signal came before the process ID was known
        kill(child, SIGKILL);
    }
    close(pipe_ends[1]);
    int error = 0;
    const ssize_t error_bytes = read(pipe_ends[0], &error, sizeof error);
    int status = 0;
    rusage used{};
    wait_for_end(child);
    const long long end = monotonic_nanoseconds();
    const process_facts facts = read_facts(child);
    wait4(child, &status, 0, &used);
    server = 0;
    if (error_bytes == sizeof error) {
        return fail(result, error);
    }
    const int remaining = is_server ? end_remaining() : find_daemon(facts.name);
    dprintf(result, "%d %lld %lld %lld %ld %ld %ld %d\n", status, microseconds(used.ru_utime),
            microseconds(used.ru_stime), end - begin, used.ru_maxrss, used.ru_minflt, used.ru_majflt,
            is_killing != 0 ? 0 : remaining);
    return 0;
}
