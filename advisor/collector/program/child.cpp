#include "collector/program/child.hpp"

#include "collector/failure.hpp"
#include "collector/parts/part.hpp"
#include "collector/system_file.hpp"
#include "recorder/arch/arch.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace mallard::collector {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// Runs in the child. Restores the signals first, because exec keeps those that the collector ignores ignored.
[[noreturn]] void become(const char* file, char* const words[], char* const variables[], const signals& own,
                         int report) {
    own.restore();
    ::execvpe(file, words, variables);
    const int error = errno;
    (void)!::write(report, &error, sizeof error);
    ::_exit(2);
}

} // namespace

child::child(const arguments& args, std::vector<std::string> variables, const signals& own) {
    std::vector<std::string> words = args.program;
    const std::vector<char*> arguments = pointers_to(words);
    const std::vector<char*> environment = pointers_to(variables);
    std::array<int, 2> report{};
    if (::pipe2(report.data(), O_CLOEXEC) != 0) {
        throw failure(std::string("no pipe: ") + std::strerror(errno));
    }
    number_ = ::fork();
    if (number_ == 0) {
        become(args.started.c_str(), arguments.data(), environment.data(), own, report[1]);
    }
    int error = number_ < 0 ? errno : 0;
    ::close(report[1]);
    if (number_ > 0) {
        ssize_t bytes = 0;
        do {
            bytes = ::read(report[0], &error, sizeof error);
        } while (bytes < 0 && errno == EINTR);
        if (bytes > 0) {
            ::waitpid(number_, nullptr, 0);
        }
    }
    ::close(report[0]);
    if (error != 0) {
        throw failure("'" + args.started.string() + "' does not start: " + std::strerror(error));
    }
}

// The clock of an exited process is lost with its process ID, once the parent has waited for it.
std::optional<int> child::ended() noexcept {
    siginfo_t info{};
    if (!status_ && ::waitid(P_PID, static_cast<id_t>(number_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == number_) {
        cpu_time_ = process_cpu_time(number_);
        int status = 0;
        if (::waitpid(number_, &status, WNOHANG) == number_) {
            status_ = status;
        }
    }
    return status_;
}

void child::signal(int signal_number) const noexcept {
    if (!status_) {
        ::kill(number_, signal_number);
    }
}

namespace {

namespace fs = std::filesystem;

/// Returns: an exited child that was not waited for; 0 if there is none, -1 if there is no child at all.
pid_t ended_child() noexcept {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        return errno == ECHILD ? -1 : 0;
    }
    return info.si_pid;
}

/// Returns: the process ID of the parent; 0 if the folder is not that of a process.
pid_t parent_in(const fs::path& process) {
    const std::string name = process.filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) {
        return 0;
    }
    // NUMBER (NAME) STATE PARENT ...: the name may have spaces and parentheses.
    const std::string facts = text_of_system_file(process / "stat");
    const std::size_t name_end = facts.rfind(") ");
    pid_t parent = 0;
    if (name_end != std::string::npos && name_end + 4 < facts.size()) {
        std::from_chars(facts.data() + name_end + 4, facts.data() + facts.size(), parent);
    }
    return parent;
}

bool has_loader(const fs::path& process) {
    const std::string loader = "/" + std::string(recorder::arch::glibc_loader);
    return text_of_system_file(process / "maps").find(loader) != std::string::npos;
}

} // namespace

orphans::orphans(const fs::path& parts) : variable_("MALLARD_RECORD=" + parts.string()) {
    variable_.push_back('\0');
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void orphans::reap(pid_t except) noexcept {
    for (pid_t child = ended_child(); child > 0 && child != except; child = ended_child()) {
        ::waitpid(child, nullptr, WNOHANG);
    }
}

bool orphans::may_begin() const {
    if (ended_child() < 0) {
        return false;
    }
    const pid_t self = ::getpid();
    std::error_code end;
    for (fs::directory_iterator entry("/proc", end); !end && entry != fs::directory_iterator();
         entry.increment(end)) {
        const fs::path& process = entry->path();
        if (parent_in(process) == self &&
            text_of_system_file(process / "environ").find(variable_) != std::string::npos &&
            has_loader(process)) {
            return true;
        }
    }
    // A child that exited meanwhile may have left a child that the scan missed.
    return ended_child() > 0;
}

} // namespace mallard::collector
