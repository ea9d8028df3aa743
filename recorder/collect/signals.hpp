/// The signals of the collector. It outlives those that end the program, because the end of the trace is its task.
#pragma once

#include <csignal>

namespace mallard::collect {

class signals {
public:
    /// Effects: signals wait to be taken from now on.
    signals() noexcept;
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;
    ~signals();

    /// Becomes readable when a signal waits.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// The signals that were blocked before; a child needs them.
    [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

    struct taken {
        int number = 0;         ///< 0 if no signal waits
        bool terminals = false; ///< the terminal sent it, to the program as well
    };
    [[nodiscard]] taken take() const noexcept;

private:
    int descriptor_ = -1;
    sigset_t before_{};
};

} // namespace mallard::collect
