#include "trace/file/output.hpp"

#include "trace/trace_error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace mallard::trace {

output::output(const std::filesystem::path& file, std::function<bool()> make_room, std::uint64_t keep_bytes)
    : name_(file.string()), make_room_(std::move(make_room)), bytes_(keep_bytes) {
    file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) {
        fail("cannot create the trace", errno);
    }
    const auto keep = static_cast<off_t>(keep_bytes);
    if (::ftruncate(file_, keep) != 0 || ::lseek(file_, keep, SEEK_SET) != keep) {
        fail("cannot write the trace", errno);
    }
}

output::~output() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

void output::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0 && (errno == ENOSPC || errno == EDQUOT) && make_room_ && make_room_()) {
            continue;
        }
        if (written < 0) {
            fail("cannot write the trace", errno);
        }
        bytes_ += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void output::close() {
    const int file = file_;
    file_ = -1;
    if (file >= 0 && ::close(file) != 0 && errno != EINTR) {
        fail("cannot write the trace", errno);
    }
}

void output::fail(const char* problem, int error) const {
    throw trace_error(std::string(problem) + " '" + name_ + "': " + std::generic_category().message(error) +
                      "; give another name or free some space");
}

} // namespace mallard::trace
