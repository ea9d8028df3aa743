/// mallard-measure DESCRIPTOR [NAME=VALUE ...] -- PROGRAM ARGUMENTS: runs a program with these variables, and measures its process.
///
/// A process begins with the peak memory of the process that started it: a program that is started by an interpreter
/// seems to have the peak of the interpreter. This one is small.
///
/// It writes one line to the descriptor, if the program started: its status as wait() gives it, microseconds of CPU time
/// in it and in the system, nanoseconds of wall time, peak memory in KiB, minor and major page faults. Else the line is
/// "error" and the number of the error.
///
/// The program ends with this process. If this process leads its group, SIGTERM ends the whole group: the system sends it
/// when a killed front asked for that with PR_SET_PDEATHSIG.
///
/// Exit status: 0; 1 if the program did not start; 2 for wrong words.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

long long microseconds(const timeval& time) noexcept {
    return static_cast<long long>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

long long nanoseconds_now() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

extern "C" void end_group(int) {
    kill(0, SIGKILL);
}

/// The child writes the number of its error to the pipe, which closes when the program begins.
[[noreturn]] void become(char** program, char** variables, int variable_count, int report, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { // it ended before the request
        _exit(127);
    }
    for (int each = 0; each < variable_count; ++each) {
        putenv(variables[each]);
    }
    // execvp takes a file of an unknown format for a shell's.
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
    int dashes = 2;
    while (dashes < count && std::strcmp(words[dashes], "--") != 0) {
        if (std::strchr(words[dashes], '=') == nullptr) {
            dashes = count;
        } else {
            ++dashes;
        }
    }
    if (dashes + 1 >= count || result <= STDERR_FILENO || fcntl(result, F_SETFD, FD_CLOEXEC) != 0) {
        std::fprintf(stderr, "mallard-measure: error: give DESCRIPTOR [NAME=VALUE ...] -- PROGRAM\n");
        return 2;
    }
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
        return fail(result, errno);
    }
    const pid_t own = getpid();
    const auto on_term = getpgrp() == own ? signal(SIGTERM, end_group) : SIG_ERR;
    const long long begin = nanoseconds_now();
    const pid_t child = fork();
    if (child < 0) {
        return fail(result, errno);
    }
    if (child == 0) {
        if (on_term != SIG_ERR) {
            signal(SIGTERM, on_term);
        }
        become(words + dashes + 1, words + 2, dashes - 2, pipe_ends[1], own);
    }
    close(pipe_ends[1]);
    int error = 0;
    const ssize_t told = read(pipe_ends[0], &error, sizeof error);
    int status = 0;
    rusage used{};
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    const long long end = nanoseconds_now();
    if (told == sizeof error) {
        return fail(result, error);
    }
    dprintf(result, "%d %lld %lld %lld %ld %ld %ld\n", status, microseconds(used.ru_utime),
            microseconds(used.ru_stime), end - begin, used.ru_maxrss, used.ru_minflt, used.ru_majflt);
    return 0;
}
