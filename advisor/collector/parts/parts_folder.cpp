#include "collector/parts/parts_folder.hpp"

#include "collector/failure.hpp"
#include "collector/system_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

namespace mallard::collector {

namespace {

namespace fs = std::filesystem;

std::string recovery(const fs::path& trace) {
    return "'mallard record --recover " + trace.string() + "' makes a trace from it, 'rm -r " +
           trace.string() + ".parts' discards it";
}

/// Returns: the file that a symbolic link names, so that the trace replaces the file and not the link.
fs::path follow_links(const fs::path& trace) {
    constexpr int most_links = 40; // as in the kernel
    std::error_code ignored;
    fs::path file = trace;
    for (int count = 0; fs::is_symlink(file, ignored); ++count) {
        if (count == most_links) {
            throw failure("'" + trace.string() + "' is a link that leads to itself; give a file: -o FILE");
        }
        file = file.parent_path() / fs::read_symlink(file);
    }
    return file;
}

/// Returns: true if the name is PID.N.NAMESPACE.part; stores the numbers in `result`.
bool read_name(const std::string& name, parts_folder::part_name& result) {
    const char* const end = name.data() + name.size();
    const auto process = std::from_chars(name.data(), end, result.process);
    if (process.ec != std::errc{} || process.ptr == end || *process.ptr != '.') {
        return false;
    }
    const auto program = std::from_chars(process.ptr + 1, end, result.program);
    if (program.ec != std::errc{} || program.ptr == end || *program.ptr != '.') {
        return false;
    }
    const auto space = std::from_chars(program.ptr + 1, end, result.space);
    return space.ec == std::errc{} && std::string_view(space.ptr, end) == ".part";
}

/// Returns: the namespace of process IDs; 0 if the process has exited, or is another user's.
std::uint64_t pid_namespace(const fs::path& process) {
    std::error_code error;
    const std::string link = fs::read_symlink(process / "ns/pid", error).string();
    std::uint64_t number = 0;
    const std::size_t begin = std::min(link.find_first_of("0123456789"), link.size());
    std::from_chars(link.data() + begin, link.data() + link.size(), number);
    return number;
}

/// Returns: the process ID in the innermost namespace; 0 if that is the namespace of /proc.
std::uint32_t innermost_number(const fs::path& process) {
    const std::string facts = text_of_system_file(process / "status");
    const std::size_t line = facts.find("\nNSpid:\t");
    if (line == std::string::npos) {
        return 0;
    }
    const std::size_t first = line + 8;
    const std::size_t end = std::min(facts.find('\n', first), facts.size());
    const std::size_t last = facts.rfind('\t', end - 1) + 1;
    std::uint32_t number = 0;
    if (last > first) {
        std::from_chars(facts.data() + last, facts.data() + end, number);
    }
    return number;
}

} // namespace

parts_folder::parts_folder(const fs::path& trace)
    : final_(follow_links(trace)), path_(fs::absolute(final_.string() + ".parts")) {}

parts_folder::parts_folder(parts_folder&& other) noexcept
    : final_(std::move(other.final_)), path_(std::move(other.path_)),
      folder_(std::exchange(other.folder_, -1)), inotify_fd_(std::exchange(other.inotify_fd_, -1)) {}

parts_folder::~parts_folder() {
    if (folder_ >= 0) {
        ::close(folder_);
    }
    if (inotify_fd_ >= 0) {
        ::close(inotify_fd_);
    }
}

parts_folder parts_folder::make(const fs::path& trace) {
    parts_folder result(trace);
    if (::mkdir(result.path_.c_str(), 0700) != 0) {
        if (errno != EEXIST) {
            throw failure("cannot create '" + result.path_.string() + "': " + std::strerror(errno) +
                          "; give another name with -o");
        }
        if (!result.lock()) {
            throw failure("'" + result.path_.string() +
                          "' is in use by another recording; give another name with -o");
        }
        throw failure("'" + result.path_.string() + "' belongs to an interrupted recording; " +
                      recovery(result.final_));
    }
    // A rename replaces an existing trace, which needs only the folder's permissions. Those of the file are respected as well.
    if (fs::exists(result.final_) && ::access(result.final_.c_str(), W_OK) != 0) {
        result.remove();
        throw failure("'" + trace.string() + "' is not writable; give another name with -o");
    }
    if (!result.lock()) {
        result.remove();
        throw failure("cannot lock '" + result.path_.string() + "'; give another name with -o");
    }
    result.inotify_fd_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (result.inotify_fd_ >= 0) {
        ::inotify_add_watch(result.inotify_fd_, result.path_.c_str(), IN_CREATE);
    }
    return result;
}

parts_folder parts_folder::open(const fs::path& trace) {
    parts_folder opened(trace);
    std::error_code ignored;
    if (!fs::is_directory(opened.path_, ignored)) {
        throw failure("there is no '" + opened.path_.string() +
                      "', so there is nothing to recover; --recover takes the name that was given to -o");
    }
    if (!opened.lock()) {
        throw failure("'" + opened.path_.string() + "' is in use by a running recording; wait for its end");
    }
    return opened;
}

bool parts_folder::lock() noexcept {
    folder_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder_ >= 0 && ::flock(folder_, LOCK_EX | LOCK_NB) == 0;
}

bool parts_folder::changed() noexcept {
    if (inotify_fd_ < 0) {
        return true;
    }
    alignas(inotify_event) std::array<char, 4096> events{};
    bool any = false;
    while (::read(inotify_fd_, events.data(), events.size()) > 0) {
        any = true;
    }
    return any;
}

std::vector<parts_folder::part_name> parts_folder::parts() const {
    std::vector<part_name> result;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path_, error)) {
        part_name name{entry.path(), 0, 0, 0};
        if (read_name(entry.path().filename().string(), name)) {
            result.push_back(std::move(name));
        }
    }
    return result;
}

std::uint32_t parts_folder::find_process(const part_name& part) const {
    if (part.space == pid_namespace("/proc/self")) {
        return part.process;
    }
    const std::string variable = "MALLARD_RECORD=" + path_.string() + '\0';
    std::error_code end;
    for (fs::directory_iterator entry("/proc", end); !end && entry != fs::directory_iterator();
         entry.increment(end)) {
        const fs::path& process = entry->path();
        const std::string name = process.filename().string();
        std::uint32_t number = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{} &&
            innermost_number(process) == part.process &&
            (part.space == 0 || pid_namespace(process) == part.space) &&
            text_of_system_file(process / "environ").find(variable) != std::string::npos) {
            return number;
        }
    }
    return part.space == 0 ? part.process : 0;
}

void parts_folder::set_idle() const {
    const int file = ::open((path_ / trace::idle_file).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) {
        throw failure("cannot create '" + (path_ / trace::idle_file).string() + "': " + std::strerror(errno) +
                      "; give another name with -o");
    }
    ::close(file);
}

void parts_folder::end_idle() const noexcept {
    ::unlink((path_ / trace::idle_file).c_str());
}

bool parts_folder::is_idle() const noexcept {
    return ::access((path_ / trace::idle_file).c_str(), F_OK) == 0;
}

void parts_folder::keep_trace() {
    std::error_code error;
    fs::rename(trace(), final_, error);
    if (error) {
        throw failure("cannot rename '" + trace().string() + "' to '" + final_.string() +
                      "': " + error.message());
    }
}

void parts_folder::remove() noexcept {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

namespace {

constexpr std::uint64_t most_reserved = std::uint64_t{8} << 20;
constexpr std::uint64_t disk_share = 8;

std::uint64_t free_bytes(const std::filesystem::path& folder) noexcept {
    struct ::statvfs info{};
    return ::statvfs(folder.c_str(), &info) == 0 ? std::uint64_t{info.f_bavail} * info.f_frsize : UINT64_MAX;
}

} // namespace

bool is_disk_full(const std::filesystem::path& folder) noexcept {
    const std::string name = folder.string() + "/room";
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const int error = file < 0 ? errno : ::posix_fallocate(file, 0, static_cast<off_t>(least_room));
    if (file >= 0) {
        ::close(file);
        ::unlink(name.c_str());
    }
    return error == ENOSPC || error == EDQUOT;
}

disk_reserve::disk_reserve(const std::filesystem::path& folder) : file_(folder / "reserve") {
    const int file = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return;
    }
    const std::uint64_t bytes = std::min(most_reserved, free_bytes(folder) / disk_share);
    (void)!::posix_fallocate(file, 0, static_cast<off_t>(bytes));
    ::close(file);
}

disk_reserve::~disk_reserve() {
    release();
}

bool disk_reserve::release() noexcept {
    if (file_.empty()) {
        return false;
    }
    ::unlink(file_.c_str());
    file_.clear();
    return true;
}

} // namespace mallard::collector
