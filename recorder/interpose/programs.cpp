/// A process that executes or starts another program: that is not recorded, unless it was asked for. It is counted as not
/// followed. If it begins a part of its own, the collector counts it back.
///
/// The child of a vfork has the memory of its parent, so its programs count as the parent's.
/// libc's own calls of one of these functions by another do not come here, so each has its function.

#include "recorder/interpose/event.hpp"

#include <alloca.h>
#include <spawn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

using namespace mallard::recorder;

namespace {

struct next_functions {
    decltype(&::execve) execve = nullptr;
    decltype(&::execv) execv = nullptr;
    decltype(&::execvp) execvp = nullptr;
    decltype(&::execvpe) execvpe = nullptr;
    decltype(&::fexecve) fexecve = nullptr;
    decltype(&::posix_spawn) posix_spawn = nullptr;
    decltype(&::posix_spawnp) posix_spawnp = nullptr;
    decltype(&::system) system = nullptr;
    decltype(&::popen) popen = nullptr;
};

constinit next_functions found{};
constinit std::atomic<bool> is_found{false};

/// Another thread may do so meanwhile, and stores the same.
[[gnu::noinline]] void find_functions() noexcept {
    found.execve = next_function<decltype(&::execve)>("execve");
    found.execv = next_function<decltype(&::execv)>("execv");
    found.execvp = next_function<decltype(&::execvp)>("execvp");
    found.execvpe = next_function<decltype(&::execvpe)>("execvpe");
    found.fexecve = next_function<decltype(&::fexecve)>("fexecve");
    found.posix_spawn = next_function<decltype(&::posix_spawn)>("posix_spawn");
    found.posix_spawnp = next_function<decltype(&::posix_spawnp)>("posix_spawnp");
    found.system = next_function<decltype(&::system)>("system");
    found.popen = next_function<decltype(&::popen)>("popen");
    is_found.store(true, std::memory_order_release);
}

// The child of a vfork may call nothing that takes a lock, and dlsym takes the loader's. So they are found before. Only a
// constructor of another library may come earlier.
[[gnu::constructor]] void find_functions_early() {
    find_functions();
}

const next_functions& next_one() noexcept {
    if (!is_found.load(std::memory_order_acquire)) [[unlikely]] {
        find_functions();
    }
    return found;
}

/// Effects: counts a program, or counts it back.
void count_program(int programs) noexcept {
    if (the_recording.on()) {
        the_recording.part.header().programs_not_followed.fetch_add(
            static_cast<std::uint64_t>(std::int64_t{programs}), std::memory_order_relaxed);
    }
}

/// Returns: the result of `execute`, which returns only if no program was executed.
template <typename Execute>
int execute(Execute execute) noexcept {
    the_recording.note_end();
    count_program(1);
    const int result = execute(next_one());
    const int before = errno;
    count_program(-1);
    errno = before;
    return result;
}

/// Returns: the result of `start`, after which the process goes on.
template <typename Start, typename Is_started>
auto start_program(Start start, Is_started is_started) -> decltype(start(next_one())) {
    the_recording.note_end();
    count_program(1);
    const auto result = start(next_one());
    if (!is_started(result)) {
        const int before = errno;
        count_program(-1);
        errno = before;
    }
    return result;
}

/// The words of execl and its like, up to the null that ends them.
std::size_t count_words(std::va_list words) noexcept {
    std::size_t count = 1;
    while (va_arg(words, const char*) != nullptr) {
        ++count;
    }
    return count;
}

char** fill_words(char** into, const char* first, std::va_list words, std::size_t count) noexcept {
    into[0] = const_cast<char*>(first);
    for (std::size_t each = 1; each <= count; ++each) {
        into[each] = const_cast<char*>(va_arg(words, const char*));
    }
    return into;
}

} // namespace

// The words stand on the stack of the function, so they cannot be collected in another one.
#define MALLARD_COLLECT_WORDS(words, first, rest)                                                            \
    std::va_list rest;                                                                                       \
    va_start(rest, first);                                                                                   \
    const std::size_t words##_count = count_words(rest);                                                     \
    va_end(rest);                                                                                            \
    va_start(rest, first);                                                                                   \
    char** const words = fill_words(static_cast<char**>(alloca((words##_count + 1) * sizeof(char*))), first, \
                                    rest, words##_count)

MALLARD_INTERPOSED int execve(const char* path, char* const arguments[], char* const variables[]) noexcept {
    return execute([&](const next_functions& next) { return next.execve(path, arguments, variables); });
}

MALLARD_INTERPOSED int execv(const char* path, char* const arguments[]) noexcept {
    return execute([&](const next_functions& next) { return next.execv(path, arguments); });
}

MALLARD_INTERPOSED int execvp(const char* file, char* const arguments[]) noexcept {
    return execute([&](const next_functions& next) { return next.execvp(file, arguments); });
}

MALLARD_INTERPOSED int execvpe(const char* file, char* const arguments[], char* const variables[]) noexcept {
    return execute([&](const next_functions& next) { return next.execvpe(file, arguments, variables); });
}

MALLARD_INTERPOSED int fexecve(int file, char* const arguments[], char* const variables[]) noexcept {
    return execute([&](const next_functions& next) { return next.fexecve(file, arguments, variables); });
}

MALLARD_INTERPOSED int execl(const char* path, const char* first, ...) noexcept {
    MALLARD_COLLECT_WORDS(words, first, rest);
    va_end(rest);
    return execute([&](const next_functions& next) { return next.execv(path, words); });
}

MALLARD_INTERPOSED int execlp(const char* file, const char* first, ...) noexcept {
    MALLARD_COLLECT_WORDS(words, first, rest);
    va_end(rest);
    return execute([&](const next_functions& next) { return next.execvp(file, words); });
}

MALLARD_INTERPOSED int execle(const char* path, const char* first, ...) noexcept {
    MALLARD_COLLECT_WORDS(words, first, rest);
    char* const* const variables = va_arg(rest, char* const*);
    va_end(rest);
    return execute([&](const next_functions& next) { return next.execve(path, words, variables); });
}

MALLARD_INTERPOSED int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                                   const posix_spawnattr_t* how, char* const arguments[],
                                   char* const variables[]) noexcept {
    return start_program(
        [&](const next_functions& next) {
            return next.posix_spawn(child, path, actions, how, arguments, variables);
        },
        [](int error) { return error == 0; });
}

MALLARD_INTERPOSED int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                                    const posix_spawnattr_t* how, char* const arguments[],
                                    char* const variables[]) noexcept {
    return start_program(
        [&](const next_functions& next) {
            return next.posix_spawnp(child, file, actions, how, arguments, variables);
        },
        [](int error) { return error == 0; });
}

MALLARD_INTERPOSED int system(const char* command) {
    if (command == nullptr) {
        return next_one().system(command); // asks if there is a shell
    }
    return start_program([&](const next_functions& next) { return next.system(command); },
                         [](int status) { return status != -1; });
}

MALLARD_INTERPOSED FILE* popen(const char* command, const char* mode) {
    return start_program([&](const next_functions& next) { return next.popen(command, mode); },
                         [](const FILE* stream) { return stream != nullptr; });
}
