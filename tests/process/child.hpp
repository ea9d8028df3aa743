/// Work in a forked child that must exit. An alarm kills a child that hangs.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace process {

/// The end of a child.
struct ending {
    int status = 0;
    int signal = 0;

    static ending by_itself_with(int status) noexcept { return {.status = status, .signal = 0}; }
    bool operator==(const ending&) const = default;

    friend std::ostream& operator<<(std::ostream& out, const ending& e) {
        if (e.signal == SIGALRM) {
            return out << "hung";
        }
        return e.signal != 0 ? out << "ended by signal " << e.signal : out << "exited with " << e.status;
    }
};

inline ending wait_for(pid_t child) {
    int wait_status = 0;
    while (waitpid(child, &wait_status, 0) < 0) {
    }
    return WIFSIGNALED(wait_status) ? ending{.status = 0, .signal = WTERMSIG(wait_status)}
                                    : ending{.status = WEXITSTATUS(wait_status), .signal = 0};
}

/// Returns: the result of fork(), after flushing output so that it is not printed twice.
inline pid_t fork_cleanly() {
    std::fflush(nullptr);
    return fork();
}

/// Effects: forks. Both processes call `in_both()`, and the child exits with the result of `work()`.
template <class Work, class AfterFork>
ending run_in_child(Work work, AfterFork in_both) {
    constexpr unsigned longest_seconds = 120;
    const pid_t child = fork_cleanly();
    if (child == 0) {
        alarm(longest_seconds);
        in_both();
        _exit(work());
    }
    in_both();
    return wait_for(child);
}

template <class Work>
ending run_in_child(Work work) {
    return run_in_child(work, [] {});
}

/// Effects: calls `work()`, which starts threads, in a child, where it may hang or leak. Under ThreadSanitizer it runs in
/// this process, because the child of a multi-threaded process cannot start threads.
template <class Work>
ending run_apart(Work work) {
#ifdef __SANITIZE_THREAD__
    return ending::by_itself_with(work());
#else
    return run_in_child(work);
#endif
}

/// In a child that ends by exit(): ends it after all other static objects, before a leak checker looks at the memory
/// of running threads.
struct ends_last {
    ~ends_last() {
        if (in_child) {
            _exit(0);
        }
    }
    bool in_child = false;
};
[[gnu::init_priority(101)]] inline ends_last last_object;

} // namespace process
