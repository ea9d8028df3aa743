#include "profiler/export/output_file.hpp"

#include "profiler/export/exports.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mallard::advisor {

namespace {

constexpr std::size_t most_waiting = std::size_t{1} << 16;

/// The permissions of new files by the process's mask.
mode_t default_mode() noexcept {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

} // namespace

output_file::output_file(const std::filesystem::path& place) : place_(place) {
    std::error_code error;
    // A symbolic link is kept, and its target replaced.
    if (const auto target = std::filesystem::canonical(place, error); !error) {
        place_ = target;
    }
    const auto status = std::filesystem::status(place_, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        descriptor_ = ::open(place_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        temporary_ = place_.string() + ".XXXXXX";
        descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
        if (descriptor_ < 0) {
            temporary_.clear();
        } else {
            ::fchmod(descriptor_, default_mode());
        }
    }
    if (descriptor_ < 0) {
        fail();
    }
}

output_file::~output_file() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

void output_file::write(std::string_view bytes) {
    waiting_ += bytes;
    if (waiting_.size() >= most_waiting) {
        flush();
    }
}

void output_file::flush() {
    for (std::string_view remaining = waiting_; !remaining.empty();) {
        const ssize_t written = ::write(descriptor_, remaining.data(), remaining.size());
        if (written < 0 && errno != EINTR) {
            fail();
        }
        remaining.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    waiting_.clear();
}

void output_file::commit() {
    flush();
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0 || (!temporary_.empty() && ::rename(temporary_.c_str(), place_.c_str()) != 0)) {
        fail();
    }
    temporary_.clear();
}

void output_file::fail() const {
    const int error = errno;
    throw export_error("cannot write " + place_.string() + ": " + std::strerror(error) +
                       (error == ENOSPC ? ". Free some space, or name another file."
                                        : ". Name a file that can be written."));
}

} // namespace mallard::advisor
