#include "recorder/collect/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace mallard::collect {

signals::signals() noexcept {
    sigset_t heeded;
    ::sigemptyset(&heeded);
    for (const int each : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD}) {
        ::sigaddset(&heeded, each);
    }
    ::sigprocmask(SIG_BLOCK, &heeded, &before_);
    sigchld_before_ = ::signal(SIGCHLD, SIG_DFL);
    descriptor_ = ::signalfd(-1, &heeded, SFD_CLOEXEC | SFD_NONBLOCK);
    // A reader of the summary that is gone, or a file that may not grow, is an error of a call and no more.
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
}

signals::~signals() {
    ::close(descriptor_);
}

void signals::restore() const noexcept {
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGXFSZ, SIG_DFL);
    ::signal(SIGCHLD, sigchld_before_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

signals::taken signals::take() const noexcept {
    signalfd_siginfo about{};
    if (::read(descriptor_, &about, sizeof about) != ssize_t{sizeof about}) {
        return {};
    }
    return {static_cast<int>(about.ssi_signo), about.ssi_code == SI_KERNEL};
}

} // namespace mallard::collect
