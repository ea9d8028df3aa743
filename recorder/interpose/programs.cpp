/// A process that executes or starts another program: that is not recorded, unless it was asked for. It is counted.
///
/// libc's own calls of one of these functions by another do not come here, so each has its function.

#include "recorder/interpose/event.hpp"

#include <alloca.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

using namespace mallard::recorder;

namespace {

void count_program() noexcept {
    the_recording.note_end();
    if (the_recording.on() && !the_recording.follows()) {
        the_recording.part.header().programs_not_followed.fetch_add(1, std::memory_order_relaxed);
    }
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
    count_program();
    return next_function<decltype(&execve)>("execve")(path, arguments, variables);
}

MALLARD_INTERPOSED int execv(const char* path, char* const arguments[]) noexcept {
    count_program();
    return next_function<decltype(&execv)>("execv")(path, arguments);
}

MALLARD_INTERPOSED int execvp(const char* file, char* const arguments[]) noexcept {
    count_program();
    return next_function<decltype(&execvp)>("execvp")(file, arguments);
}

MALLARD_INTERPOSED int execvpe(const char* file, char* const arguments[], char* const variables[]) noexcept {
    count_program();
    return next_function<decltype(&execvpe)>("execvpe")(file, arguments, variables);
}

MALLARD_INTERPOSED int fexecve(int file, char* const arguments[], char* const variables[]) noexcept {
    count_program();
    return next_function<decltype(&fexecve)>("fexecve")(file, arguments, variables);
}

MALLARD_INTERPOSED int execl(const char* path, const char* first, ...) noexcept {
    count_program();
    MALLARD_COLLECT_WORDS(words, first, rest);
    va_end(rest);
    return next_function<decltype(&execv)>("execv")(path, words);
}

MALLARD_INTERPOSED int execlp(const char* file, const char* first, ...) noexcept {
    count_program();
    MALLARD_COLLECT_WORDS(words, first, rest);
    va_end(rest);
    return next_function<decltype(&execvp)>("execvp")(file, words);
}

MALLARD_INTERPOSED int execle(const char* path, const char* first, ...) noexcept {
    count_program();
    MALLARD_COLLECT_WORDS(words, first, rest);
    char* const* const variables = va_arg(rest, char* const*);
    va_end(rest);
    return next_function<decltype(&execve)>("execve")(path, words, variables);
}

MALLARD_INTERPOSED int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                                   const posix_spawnattr_t* how, char* const arguments[],
                                   char* const variables[]) noexcept {
    count_program();
    return next_function<decltype(&posix_spawn)>("posix_spawn")(child, path, actions, how, arguments,
                                                                variables);
}

MALLARD_INTERPOSED int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                                    const posix_spawnattr_t* how, char* const arguments[],
                                    char* const variables[]) noexcept {
    count_program();
    return next_function<decltype(&posix_spawnp)>("posix_spawnp")(child, file, actions, how, arguments,
                                                                  variables);
}

MALLARD_INTERPOSED int system(const char* command) {
    count_program();
    return next_function<decltype(&system)>("system")(command);
}

MALLARD_INTERPOSED FILE* popen(const char* command, const char* mode) {
    count_program();
    return next_function<decltype(&popen)>("popen")(command, mode);
}
