/// The signals of the collector. It survives those that end the program, because it must finish the trace.
#pragma once

#include <csignal>

namespace mallard::collector {

class signals {
public:
    /// Effects: blocks the signals, which `take` returns, except for those that the caller ignores; `own`, if it is not 0, in any
    /// case. SIGCHLD is no longer ignored, because the system would discard the exit statuses of children.
    explicit signals(int own = 0) noexcept;
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;
    ~signals();

    /// Becomes readable when a signal is pending.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// Effects: restores the caller's signals, in a child that will execute a program.
    void restore() const noexcept;

    struct taken {
        int number = 0;         ///< 0 if no signal is pending
        bool terminals = false; ///< sent by the terminal, to the program as well
    };
    [[nodiscard]] taken take() const noexcept;

private:
    int descriptor_ = -1;
    sigset_t saved_mask_{};
    void (*saved_sigchld_)(int) = SIG_DFL;
    void (*saved_sigpipe_)(int) = SIG_DFL;
    void (*saved_sigxfsz_)(int) = SIG_DFL;
};

} // namespace mallard::collector
