#include "collector/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace mallard::collector {

signals::signals(int own) noexcept {
    sigset_t handled;
    ::sigemptyset(&handled);
    for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD}) {
        // A blocked signal is queued even if it is ignored, as by nohup.
        struct sigaction current{};
        if (number == SIGCHLD || ::sigaction(number, nullptr, &current) != 0 ||
            current.sa_handler != SIG_IGN) {
            ::sigaddset(&handled, number);
        }
    }
    if (own != 0) {
        ::sigaddset(&handled, own);
    }
    ::sigprocmask(SIG_BLOCK, &handled, &saved_mask_);
    saved_sigchld_ = ::signal(SIGCHLD, SIG_DFL);
    descriptor_ = ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
    // A closed standard error, or a file size limit, must fail a call and not end the collector.
    saved_sigpipe_ = ::signal(SIGPIPE, SIG_IGN);
    saved_sigxfsz_ = ::signal(SIGXFSZ, SIG_IGN);
}

signals::~signals() {
    ::close(descriptor_);
}

void signals::restore() const noexcept {
    ::signal(SIGPIPE, saved_sigpipe_);
    ::signal(SIGXFSZ, saved_sigxfsz_);
    ::signal(SIGCHLD, saved_sigchld_);
    ::sigprocmask(SIG_SETMASK, &saved_mask_, nullptr);
}

signals::taken signals::take() const noexcept {
    signalfd_siginfo info{};
    if (::read(descriptor_, &info, sizeof info) != ssize_t{sizeof info}) {
        return {};
    }
    return {static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

} // namespace mallard::collector
