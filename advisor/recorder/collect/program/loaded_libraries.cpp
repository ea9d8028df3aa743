#include "recorder/collect/program/loaded_libraries.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <string>

namespace mallard::collect {

namespace {

/// Returns: the standard output of the command.
std::string run_command(std::vector<std::string> words, std::vector<std::string> variables) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return {};
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    std::vector<char*> arguments;
    std::vector<char*> environment;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    for (std::string& variable : variables) {
        environment.push_back(variable.data());
    }
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    pid_t child = 0;
    const int error =
        ::posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t bytes = 0; error == 0;) {
        bytes = ::read(ends[0], part.data(), part.size());
        if (bytes > 0) {
            text.append(part.data(), static_cast<std::size_t>(bytes));
        } else if (bytes == 0 || errno != EINTR) {
            break;
        }
    }
    ::close(ends[0]);
    while (error == 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

} // namespace

std::vector<std::filesystem::path> loaded_libraries(const std::filesystem::path& program,
                                                    const std::filesystem::path& loader) {
    std::vector<std::string> variables{"LD_TRACE_LOADED_OBJECTS=1"};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    // The loader would search for a name without a slash as a library.
    const std::string file = std::filesystem::absolute(program).string();
    std::istringstream lines(run_command({loader.string(), file}, std::move(variables)));
    std::vector<std::filesystem::path> libraries;
    // "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f58f36ac000)", or a path alone
    for (std::string line; std::getline(lines, line);) {
        const std::size_t end = line.rfind(" (0x");
        const std::size_t arrow = line.find(" => ");
        const std::size_t begin = arrow == std::string::npos ? line.find_first_not_of(" \t") : arrow + 4;
        if (end != std::string::npos && begin < end &&
            line.substr(begin, end - begin).find('/') != std::string::npos) {
            libraries.emplace_back(line.substr(begin, end - begin));
        }
    }
    return libraries;
}

} // namespace mallard::collect
