#include "trace/read/input.hpp"

#include "trace/trace_error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace mallard::trace {

namespace {

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
    throw trace_error("cannot read the trace '" + name + "': " + reason);
}

} // namespace

input::input(const std::filesystem::path& file) : name_(file.string()) {
    // Opening a pipe without a writer would block.
    file_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ < 0) {
        fail(name_, std::generic_category().message(errno) + "; give a file written by 'mallard record'");
    }
    struct stat info{};
    const bool known = ::fstat(file_, &info) == 0;
    if (!known || !S_ISREG(info.st_mode)) {
        ::close(file_);
        fail(name_,
             std::string(known && S_ISDIR(info.st_mode) ? "it is a directory" : "it is not a regular file") +
                 "; give a file written by 'mallard record'");
    }
    bytes_ = static_cast<std::uint64_t>(info.st_size);
}

input::~input() {
    ::close(file_);
}

std::size_t input::read(std::uint64_t offset, std::span<std::byte> to) const {
    std::size_t done = 0;
    while (done < to.size()) {
        const ssize_t got =
            ::pread(file_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail(name_, std::generic_category().message(errno));
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

} // namespace mallard::trace
