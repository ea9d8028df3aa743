#include "collector/program/preloading.hpp"

#include "collector/failure.hpp"
#include "collector/parts/parts_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace mallard::collector {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view library_name = "libmallard_record.so";

fs::path find_library() {
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
    for (const fs::path& place : {folder, folder.parent_path() / "lib"}) {
        if (fs::exists(place / library_name)) {
            return place / library_name;
        }
    }
    throw failure(std::string(library_name) + " is missing; it belongs next to mallard-record, in '" +
                  folder.string() + "'; './mallard record' builds it");
}

/// The recorder creates a sparse file of 64 GiB. Beyond the limit the system would end the program.
void refuse_small_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur > (std::uint64_t{65} << 30)) {
        return;
    }
    throw failure("files are limited to " + std::to_string(limit.rlim_cur) +
                  " bytes here, and a recording needs a sparse one of 65 GiB; allow it: "
                  "ulimit -f unlimited");
}

bool names_variable(std::string_view variable, std::string_view name) {
    return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
}

} // namespace

preloading::preloading(const fs::path& parts) : library_(find_library()) {
    refuse_small_files();
    if (is_disk_full(parts)) {
        throw failure("the disk of '" + parts.parent_path().string() +
                      "' is full: a recording needs at least " + std::to_string(least_room) +
                      " bytes; free some space, or record to another disk with -o");
    }
    if (library_.string().find_first_of(" \t\n:;$") == std::string::npos) {
        return;
    }
    const std::string name = "mallard-record-" + std::to_string(::getpid()) + "-XXXXXX";
    std::string folder = (fs::temp_directory_path() / name).string();
    if (folder.find_first_of(" \t\n:;$") != std::string::npos) {
        folder = "/tmp/" + name;
    }
    std::error_code error;
    if (::mkdtemp(folder.data()) == nullptr) {
        error.assign(errno, std::generic_category());
    } else {
        fs::create_symlink(library_, fs::path(folder) / library_name, error);
    }
    if (error) {
        ::rmdir(folder.c_str());
        throw failure("'" + library_.string() +
                      "' has a space or a colon in its path, and a link to it cannot be created in '" +
                      fs::path(folder).parent_path().string() + "': " + error.message() +
                      "; clone mallard to another place");
    }
    link_folder_ = folder;
    library_ = link_folder_ / library_name;
    link_lock_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::flock(link_lock_, LOCK_SH | LOCK_NB); // not every file system has locks
}

preloading::~preloading() {
    std::error_code ignored;
    if (!link_folder_.empty()) {
        fs::remove_all(link_folder_, ignored);
    }
    if (link_lock_ >= 0) {
        ::close(link_lock_);
    }
}

std::vector<std::string> preloading::environment(const arguments& args, const fs::path& parts) const {
    std::vector<std::string> variables;
    std::string preloaded = library_.string();
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable = *entry;
        if (names_variable(variable, "LD_PRELOAD")) {
            preloaded += ":" + std::string(variable.substr(std::string_view("LD_PRELOAD=").size()));
        }
        const bool is_own =
            names_variable(variable, "MALLARD_RECORD") || variable.starts_with("MALLARD_RECORD_");
        if (!is_own && !names_variable(variable, "LD_PRELOAD")) {
            variables.emplace_back(variable);
        }
    }
    variables.push_back("LD_PRELOAD=" + preloaded);
    variables.push_back("MALLARD_RECORD=" + parts.string());
    if (args.follow) {
        variables.emplace_back("MALLARD_RECORD_FOLLOW=1");
    }
    variables.push_back("MALLARD_RECORD_STACKS=" + args.stacks);
    variables.push_back("MALLARD_RECORD_SAMPLE=" + std::to_string(args.sample));
    return variables;
}

} // namespace mallard::collector
