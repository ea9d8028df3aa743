#include "runner/harness/memory.hpp"

#include "runner/harness/process.hpp"

#include <mallard/upstream/chunk_cache.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace bench {

namespace {

/// Returns: the kibibytes behind `key`, in bytes; -1 if the key is missing.
std::int64_t read_bytes(std::string_view text, std::string_view key) noexcept {
    const std::size_t position = text.find(key);
    if (position == std::string_view::npos) {
        return -1;
    }
    text.remove_prefix(position + key.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::int64_t kibibytes = -1;
    std::from_chars(text.data(), text.data() + text.size(), kibibytes);
    return kibibytes < 0 ? -1 : kibibytes * 1024;
}

/// A file of /proc/self, read without a stream, whose buffer would come from the measured malloc.
class system_text {
public:
    explicit system_text(const char* path) noexcept {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return;
        }
        length_ = read(file, buffer_.data(), buffer_.size());
        close(file);
    }

    [[nodiscard]] std::string_view text() const noexcept {
        return {buffer_.data(), length_ > 0 ? static_cast<std::size_t>(length_) : 0};
    }

private:
    std::array<char, 4096> buffer_;
    ssize_t length_ = 0;
};

/// Effects: calls a function of a preloaded malloc.
template <class Function, class... Args>
void call_by_name(const char* name, Args... args) noexcept {
    if (void* function = dlsym(RTLD_DEFAULT, name)) {
        reinterpret_cast<Function*>(function)(args...);
    }
}

void trim_malloc() noexcept {
    const std::string_view name = malloc_in_use();
    if (name == "jemalloc") {
        using mallctl = int(const char*, void*, std::size_t*, void*, std::size_t);
        // 4096 is jemalloc's number for all arenas.
        call_by_name<mallctl>("mallctl", "thread.tcache.flush", nullptr, nullptr, nullptr, std::size_t{0});
        call_by_name<mallctl>("mallctl", "arena.4096.purge", nullptr, nullptr, nullptr, std::size_t{0});
    } else if (name == "mimalloc") {
        call_by_name<void(bool)>("mi_collect", true);
    } else if (name == "tcmalloc") {
        call_by_name<void()>("MallocExtension_ReleaseFreeMemory");
    } else {
#ifdef __GLIBC__
        malloc_trim(0);
#endif
    }
}

/// Effects: waits for the child's answer, and kills the child.
std::optional<std::int64_t> await_answer(pid_t copy, int from, unsigned seconds) {
    pollfd waiting{from, POLLIN, 0};
    std::int64_t answer = 0;
    const bool has_answer = poll(&waiting, 1, static_cast<int>(seconds) * 1000) == 1 &&
                            read(from, &answer, sizeof answer) == sizeof answer;
    kill(copy, SIGKILL);
    waitpid(copy, nullptr, 0);
    return has_answer ? std::optional(answer) : std::nullopt;
}

} // namespace

held_memory inspect_memory() {
    const system_text rollup("/proc/self/smaps_rollup");
    const std::string_view text = rollup.text();
    const std::int64_t bytes = read_bytes(text, "Anonymous:");
    if (bytes < 0) {
        return {resident_bytes(), 0, 0};
    }
    const std::int64_t offered = std::max<std::int64_t>(read_bytes(text, "LazyFree:"), 0);
    return {bytes - offered, std::max<std::int64_t>(read_bytes(text, "AnonHugePages:"), 0), offered};
}

bool forget_peak() noexcept {
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    constexpr std::string_view peak_only = "5";
    const bool done = write(file, peak_only.data(), peak_only.size()) == ssize_t{peak_only.size()};
    close(file);
    return done;
}

std::int64_t peak_resident_bytes() noexcept {
    const system_text status("/proc/self/status");
    return std::max<std::int64_t>(read_bytes(status.text(), "VmHWM:"), 0);
}

void trim_process() noexcept {
    mallard::chunk_cache::trim();
    trim_malloc();
}

std::optional<std::int64_t> inspect_in_child(unsigned seconds, const std::function<std::int64_t()>& look) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        return std::nullopt;
    }
    const pid_t copy = fork();
    if (copy == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const std::int64_t answer = look();
        const ssize_t written = write(ends[1], &answer, sizeof answer);
        _exit(written == sizeof answer ? 0 : 1);
    }
    close(ends[1]);
    const std::optional<std::int64_t> answer = copy < 0 ? std::nullopt : await_answer(copy, ends[0], seconds);
    close(ends[0]);
    return answer;
}

} // namespace bench
