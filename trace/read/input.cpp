#include "trace/read/input.hpp"

#include "trace/trace_error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace mallard::trace {

namespace {

[[noreturn]] void fail(const std::string& name, const std::string& why) {
    throw trace_error("cannot read the trace '" + name + "': " + why);
}

} // namespace

input::input(const std::filesystem::path& file) : name_(file.string()) {
    // A pipe without a writer would make open() wait.
    file_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ < 0) {
        fail(name_, std::generic_category().message(errno) + "; give a file that 'mallard record' has made");
    }
    struct stat about{};
    const bool known = ::fstat(file_, &about) == 0;
    if (!known || !S_ISREG(about.st_mode)) {
        ::close(file_);
        fail(name_,
             std::string(known && S_ISDIR(about.st_mode) ? "it is a directory" : "it is not a regular file") +
                 "; give a file that 'mallard record' has made");
    }
    bytes_ = static_cast<std::uint64_t>(about.st_size);
}

input::~input() {
    ::close(file_);
}

std::size_t input::read(std::uint64_t place, std::span<std::byte> to) const {
    std::size_t there = 0;
    while (there < to.size()) {
        const ssize_t got =
            ::pread(file_, to.data() + there, to.size() - there, static_cast<off_t>(place + there));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail(name_, std::generic_category().message(errno));
        }
        if (got == 0) {
            break;
        }
        there += static_cast<std::size_t>(got);
    }
    return there;
}

} // namespace mallard::trace
