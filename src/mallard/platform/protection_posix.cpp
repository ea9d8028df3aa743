#include "protection.hpp"

#include <sys/mman.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

namespace {

constinit std::atomic<owner_of_memory> installed_owner{nullptr};
using signal_action = struct sigaction;
// SIGSEGV, and SIGBUS of systems that send that for a write to read-only pages.
constexpr std::array fault_signals{SIGSEGV, SIGBUS};
constinit std::array<signal_action, fault_signals.size()> former_actions{};

/// A line on the standard error output, by a single write. Functions of signals may use it.
class line_of_report {
public:
    line_of_report& operator<<(std::string_view text) noexcept {
        const std::size_t taken = std::min(text.size(), text_.size() - length_);
        std::memcpy(text_.data() + length_, text.data(), taken);
        length_ += taken;
        return *this;
    }
    line_of_report& address(const void* p) noexcept {
        std::array<char, 2 * sizeof(p)> digits;
        constexpr int hexadecimal = 16;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                       reinterpret_cast<std::uintptr_t>(p), hexadecimal);
        return *this << "0x"
                     << std::string_view(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
    }
    void write() noexcept {
        text_[std::min(length_, text_.size() - 1)] = '\n';
        const std::size_t bytes = std::min(length_ + 1, text_.size());
        static_cast<void>(::write(STDERR_FILENO, text_.data(), bytes) == static_cast<ssize_t>(bytes));
    }

private:
    std::array<char, 256> text_;
    std::size_t length_ = 0;
};

/// Effects: does what the program did with this signal before. The default ends it: the write is repeated, or the signal.
void pass_on(int signal, siginfo_t* information, void* context, const signal_action& former) {
    if ((former.sa_flags & SA_SIGINFO) != 0) {
        former.sa_sigaction(signal, information, context);
    } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
        former.sa_handler(signal);
    } else {
        sigaction(signal, &former, nullptr);
        if (information->si_code <= 0) { // sent by a process: no write will be repeated
            raise(signal);
        }
    }
}

void handle_fault(int signal, siginfo_t* information, void* context) {
    const void* const address = information->si_addr;
    const char* const name = information->si_code > 0 ? installed_owner.load()(address) : nullptr;
    if (name != nullptr) {
        line_of_report line;
        (line << "mallard: write to the read-only memory of " << name << " at ").address(address).write();
    }
    for (std::size_t i = 0; i != fault_signals.size(); ++i) {
        if (fault_signals[i] == signal) {
            pass_on(signal, information, context, former_actions[i]);
        }
    }
}

} // namespace

bool set_writable(std::byte* p, std::size_t bytes, bool writable) noexcept {
    return mprotect(p, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ) == 0;
}

bool bind_to_node([[maybe_unused]] std::byte* p, [[maybe_unused]] std::size_t bytes,
                  [[maybe_unused]] unsigned node) noexcept {
#ifdef SYS_mbind
    constexpr unsigned word_bits = 8 * sizeof(unsigned long);
    constexpr unsigned most_nodes = 1024; // of a kernel
    constexpr int only_these = 2;         // MPOL_BIND
    std::array<unsigned long, most_nodes / word_bits> nodes{};
    if (node >= most_nodes) {
        return false;
    }
    nodes[node / word_bits] = 1UL << (node % word_bits);
    // The kernel reads one bit fewer than it is told.
    return syscall(SYS_mbind, p, bytes, only_these, nodes.data(), most_nodes + 1UL, 0U) == 0;
#else
    return false;
#endif
}

bool report_writes_to_read_only(owner_of_memory owner) noexcept {
    owner_of_memory none = nullptr;
    if (!installed_owner.compare_exchange_strong(none, owner)) {
        return true;
    }
    signal_action action{};
    action.sa_sigaction = handle_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i != fault_signals.size(); ++i) {
        sigaction(fault_signals[i], &action, &former_actions[i]);
    }
    return true;
}

}} // namespace mallard::platform::MALLARD_LIBRARY
