/// The signals of the collector. It outlives those that end the program, because the end of the trace is its task.
#pragma once

#include <csignal>

namespace mallard::collect {

class signals {
public:
    /// Effects: signals wait to be taken from now on. SIGCHLD is not ignored any more, because the system would forget the ends of
    /// children.
    signals() noexcept;
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;
    ~signals();

    /// Becomes readable when a signal waits.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// Effects: the signals of this process, a child that will execute a program, are as they were before.
    void restore() const noexcept;

    struct taken {
        int number = 0;         ///< 0 if no signal waits
        bool terminals = false; ///< the terminal sent it, to the program as well
    };
    [[nodiscard]] taken take() const noexcept;

private:
    int descriptor_ = -1;
    sigset_t before_{};
    void (*sigchld_before_)(int) = SIG_DFL;
};

} // namespace mallard::collect
