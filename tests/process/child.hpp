/// Work in a forked child that must end. A child that hangs is ended by its alarm, after longer than any machine needs.
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
    int how = 0;
    while (waitpid(child, &how, 0) < 0) {
    }
    return WIFSIGNALED(how) ? ending{.status = 0, .signal = WTERMSIG(how)}
                            : ending{.status = WEXITSTATUS(how), .signal = 0};
}

/// Returns: as fork(); no output is printed by both.
inline pid_t fork_cleanly() {
    std::fflush(nullptr);
    return fork();
}

/// Effects: forks; both processes call `after_fork()`; the child then ends with the result of `work()`.
template <class Work, class AfterFork>
ending run_in_child(Work work, AfterFork after_fork) {
    constexpr unsigned longest_seconds = 120;
    const pid_t child = fork_cleanly();
    if (child == 0) {
        alarm(longest_seconds);
        after_fork();
        _exit(work());
    }
    after_fork();
    return wait_for(child);
}

template <class Work>
ending run_in_child(Work work) {
    return run_in_child(work, [] {});
}

/// Effects: calls `work()`, which makes threads, in a child, where it may hang or leave anything behind. Under
/// ThreadSanitizer it is called in this process, because the child of a process with threads may have none.
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
