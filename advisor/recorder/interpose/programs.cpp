/// Interposes the functions that execute or start another program, or end the process without its destructors. A program is
/// recorded only if requested, and is otherwise counted as not followed. If it opens a part itself, the collector takes the
/// count back.
///
/// The child of a vfork shares the memory of its parent, so its programs count as the parent's.
/// libc's internal calls between these functions are not interposed, so each one is.

#include "recorder/interpose/interposed.hpp"

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
    decltype(&::_exit) exit = nullptr;
};

constinit next_functions resolved{};
constinit std::atomic<bool> is_resolved{false};

/// Another thread may do so concurrently, with the same result.
[[gnu::noinline]] void find_functions() noexcept {
    resolved.execve = next_function<decltype(&::execve)>("execve");
    resolved.execv = next_function<decltype(&::execv)>("execv");
    resolved.execvp = next_function<decltype(&::execvp)>("execvp");
    resolved.execvpe = next_function<decltype(&::execvpe)>("execvpe");
    resolved.fexecve = next_function<decltype(&::fexecve)>("fexecve");
    resolved.posix_spawn = next_function<decltype(&::posix_spawn)>("posix_spawn");
    resolved.posix_spawnp = next_function<decltype(&::posix_spawnp)>("posix_spawnp");
    resolved.system = next_function<decltype(&::system)>("system");
    resolved.popen = next_function<decltype(&::popen)>("popen");
    resolved.exit = next_function<decltype(&::_exit)>("_exit");
    is_resolved.store(true, std::memory_order_release);
}

// The child of a vfork must not take a lock, and dlsym takes the loader's. So the functions are resolved beforehand. Only a
// constructor of another library may come earlier.
[[gnu::constructor]] void find_functions_early() {
    find_functions();
}

const next_functions& resolved_functions() noexcept {
    if (!is_resolved.load(std::memory_order_acquire)) [[unlikely]] {
        find_functions();
    }
    return resolved;
}

/// Returns: the result of `execute`, which returns only if no program was executed.
template <typename Execute>
int execute(Execute execute) noexcept {
    note_end();
    count_programs(1);
    const int result = execute(resolved_functions());
    const int saved_errno = errno;
    count_programs(-1);
    errno = saved_errno;
    return result;
}

/// Returns: the result of `start`, after which the process continues.
template <typename Start, typename IsStarted>
auto start_program(Start start, IsStarted is_started) -> decltype(start(resolved_functions())) {
    note_end();
    count_programs(1);
    const auto result = start(resolved_functions());
    if (!is_started(result)) {
        const int saved_errno = errno;
        count_programs(-1);
        errno = saved_errno;
    }
    return result;
}

/// Counts the arguments of execl and the like, with the terminating null.
std::size_t count_words(std::va_list words) noexcept {
    std::size_t count = 1;
    while (va_arg(words, const char*) != nullptr) {
        ++count;
    }
    return count;
}

char** fill_words(char** result, const char* first, std::va_list words, std::size_t count) noexcept {
    result[0] = const_cast<char*>(first);
    for (std::size_t index = 1; index <= count; ++index) {
        result[index] = const_cast<char*>(va_arg(words, const char*));
    }
    return result;
}

} // namespace

void mallard::recorder::find_program_functions() noexcept {
    find_functions();
}

// The words are on the stack of the function, so they cannot be collected by a callee.
#define MALLARD_COLLECT_WORDS(words, first, list)                                                            \
    std::va_list list;                                                                                       \
    va_start(list, first);                                                                                   \
    const std::size_t words##_count = count_words(list);                                                     \
    va_end(list);                                                                                            \
    va_start(list, first);                                                                                   \
    char** const words = fill_words(static_cast<char**>(alloca((words##_count + 1) * sizeof(char*))), first, \
                                    list, words##_count)

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
    MALLARD_COLLECT_WORDS(words, first, list);
    va_end(list);
    return execute([&](const next_functions& next) { return next.execv(path, words); });
}

MALLARD_INTERPOSED int execlp(const char* file, const char* first, ...) noexcept {
    MALLARD_COLLECT_WORDS(words, first, list);
    va_end(list);
    return execute([&](const next_functions& next) { return next.execvp(file, words); });
}

MALLARD_INTERPOSED int execle(const char* path, const char* first, ...) noexcept {
    MALLARD_COLLECT_WORDS(words, first, list);
    char* const* const variables = va_arg(list, char* const*);
    va_end(list);
    return execute([&](const next_functions& next) { return next.execve(path, words, variables); });
}

MALLARD_INTERPOSED int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                                   const posix_spawnattr_t* attributes, char* const arguments[],
                                   char* const variables[]) {
    return start_program(
        [&](const next_functions& next) {
            return next.posix_spawn(child, path, actions, attributes, arguments, variables);
        },
        [](int error) { return error == 0; });
}

MALLARD_INTERPOSED int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                                    const posix_spawnattr_t* attributes, char* const arguments[],
                                    char* const variables[]) {
    return start_program(
        [&](const next_functions& next) {
            return next.posix_spawnp(child, file, actions, attributes, arguments, variables);
        },
        [](int error) { return error == 0; });
}

MALLARD_INTERPOSED int system(const char* command) {
    if (command == nullptr) {
        return resolved_functions().system(command); // checks for a shell
    }
    return start_program([&](const next_functions& next) { return next.system(command); },
                         [](int status) { return status != -1; });
}

MALLARD_INTERPOSED FILE* popen(const char* command, const char* mode) {
    return start_program([&](const next_functions& next) { return next.popen(command, mode); },
                         [](const FILE* stream) { return stream != nullptr; });
}

MALLARD_INTERPOSED void _exit(int status) {
    note_end();
    resolved_functions().exit(status);
    __builtin_unreachable();
}

MALLARD_INTERPOSED void _Exit(int status) noexcept {
    _exit(status);
}
