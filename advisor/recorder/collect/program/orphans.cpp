#include "recorder/collect/program/orphans.hpp"

#include "recorder/collect/system_file.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace mallard::collect {

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
    return text_of_system_file(process / "maps").find("/ld-linux-x86-64.so") != std::string::npos;
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

} // namespace mallard::collect
