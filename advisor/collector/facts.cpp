#include "collector/facts.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace mallard::collector {

namespace {

int facts_descriptor = STDERR_FILENO;

} // namespace

void open_facts(int descriptor) noexcept {
    facts_descriptor = descriptor;
    if (descriptor > STDERR_FILENO) {
        ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
}

trace::json_writer begin_fact(std::string_view kind) {
    trace::json_writer json;
    json.begin_object().field("record", kind);
    return json;
}

void write_fact(trace::json_writer& json) {
    json.end_object();
    const std::string line = json.text() + '\n';
    for (std::size_t written = 0; written < line.size();) {
        const ssize_t bytes = ::write(facts_descriptor, line.data() + written, line.size() - written);
        if (bytes < 0 && errno != EINTR) {
            return;
        }
        written += bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
    }
}

void write_error(const std::string& text) {
    trace::json_writer json = begin_fact("error");
    write_fact(json.field("text", text));
}

void close_facts() noexcept {
    if (::shutdown(facts_descriptor, SHUT_WR) == 0) {
        char byte = 0;
        while (::read(facts_descriptor, &byte, 1) < 0 && errno == EINTR) {
        }
    }
}

} // namespace mallard::collector
