#include "trace/recordings/trace_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace mallard::test {

memory_file::memory_file() : file_(::memfd_create("trace", MFD_CLOEXEC)) {
    if (file_ < 0) {
        throw std::runtime_error("no memory for a file");
    }
}

memory_file::~memory_file() {
    ::close(file_);
}

std::filesystem::path memory_file::path() const {
    return "/proc/self/fd/" + std::to_string(file_);
}

void memory_file::set(const std::vector<std::byte>& bytes) {
    if (::ftruncate(file_, static_cast<off_t>(bytes.size())) != 0 ||
        ::pwrite(file_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::runtime_error("no memory for a file");
    }
}

std::vector<std::byte> memory_file::get() const {
    struct stat info{};
    ::fstat(file_, &info);
    std::vector<std::byte> bytes(static_cast<std::size_t>(info.st_size));
    if (::pread(file_, bytes.data(), bytes.size(), 0) != info.st_size) {
        throw std::runtime_error("a file in memory cannot be read");
    }
    return bytes;
}

std::vector<std::byte> write_trace(const std::function<void(trace::writer&)>& fill,
                                   trace::writer::options settings) {
    const memory_file file;
    trace::writer to(file.path(), settings);
    fill(to);
    to.finish();
    return file.get();
}

std::map<std::uint32_t, std::vector<trace::event>> read_events(trace::reader& from, std::size_t process) {
    std::map<std::uint32_t, std::vector<trace::event>> result;
    const trace::context_tree& contexts = from.contexts(process);
    const auto require = [](bool holds, const char* promise) {
        if (!holds) {
            throw std::logic_error(promise);
        }
    };
    std::uint64_t last_ticks = 0;
    std::map<std::uint32_t, std::uint32_t> last_depth;
    from.begin(process);
    for (auto batch = from.next(); !batch.empty(); batch = from.next()) {
        for (const trace::event& event : batch) {
            require(event.ticks >= last_ticks, "events come in the order of time");
            require(trace::is_event(event.kind), "an event is of a known kind");
            require(event.context < contexts.size(), "a context is in the tree");
            require(event.kept <= contexts[event.context].depth, "kept levels are in the context");
            if (trace::has_stack(event.kind)) {
                require(event.kept <= last_depth[event.thread], "kept levels exist in the preceding event");
                last_depth[event.thread] = contexts[event.context].depth;
            } else {
                require(event.context == 0 && event.kept == 0, "an event without a stack has no context");
            }
            last_ticks = event.ticks;
            result[event.thread].push_back(event);
        }
    }
    require(result.empty() || result.rbegin()->first == result.size() - 1, "threads are numbered from 0");
    return result;
}

std::string first_difference(const trace::reader& from, std::size_t process,
                             const std::vector<expected_event>& expected,
                             const std::vector<trace::event>& actual) {
    constexpr std::uint64_t time_error = 32;
    const trace::context_tree& contexts = from.contexts(process);
    std::ostringstream text;
    for (std::size_t index = 0; index < std::min(expected.size(), actual.size()); ++index) {
        const trace::event& want = expected[index].fields;
        const trace::event& have = actual[index];
        const bool exact_time = index == 0 || index + 1 == expected.size();
        std::vector<level> stack(contexts[have.context].depth);
        trace::context_id node = have.context;
        for (auto at = stack.rbegin(); at != stack.rend(); ++at, node = contexts[node].parent) {
            *at = {contexts[node].address, 0};
        }
        std::vector<level> expected_stack = expected[index].stack;
        for (level& entry : expected_stack) {
            entry.omitted = 0;
        }
        if (have.kind != want.kind || have.address != want.address || have.bytes != want.bytes ||
            have.pool != want.pool || have.ticks_inside != want.ticks_inside || have.kept != want.kept ||
            stack != expected_stack || contexts.root_end(have.context) != expected[index].end ||
            have.ticks > want.ticks || want.ticks - have.ticks >= (exact_time ? 1 : time_error)) {
            text << "event " << index << " of kind " << static_cast<int>(want.kind) << ": kind "
                 << static_cast<int>(have.kind) << ", address " << have.address << " for " << want.address
                 << ", bytes " << have.bytes << " for " << want.bytes << ", kept " << have.kept << " for "
                 << want.kept << ", depth " << stack.size() << " for " << expected_stack.size() << ", ticks "
                 << have.ticks << " for " << want.ticks << ", inside " << have.ticks_inside << " for "
                 << want.ticks_inside << ", pool " << have.pool << " for " << want.pool;
            return text.str();
        }
    }
    if (expected.size() != actual.size()) {
        text << actual.size() << " events for " << expected.size();
    }
    return text.str();
}

} // namespace mallard::test
