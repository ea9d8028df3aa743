#include "collector/program/command.hpp"

#include "collector/failure.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace mallard::collector {

namespace {

namespace fs = std::filesystem;

// The kernel's limit on nested script interpreters.
constexpr int most_scripts = 4;
constexpr std::size_t longest_first_line = 4096;

bool can_execute(const fs::path& file) {
    struct ::stat info{};
    return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

fs::path checked_executable(const fs::path& file) {
    struct ::stat info{};
    if (::stat(file.c_str(), &info) != 0) {
        throw failure("'" + file.string() + "' does not exist; give the path or the name of a program");
    }
    if (S_ISDIR(info.st_mode)) {
        throw failure("'" + file.string() + "' is a folder; give a program in it");
    }
    if (!can_execute(file)) {
        throw failure("'" + file.string() + "' is not executable; if it is a program: chmod +x " +
                      file.string());
    }
    return file;
}

fs::path search_path(const std::string& name) {
    const char* const variable = std::getenv("PATH");
    std::istringstream folders(variable == nullptr ? "/bin:/usr/bin" : variable);
    fs::path not_executable;
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
        std::error_code ignored;
        if (can_execute(file)) {
            return file;
        }
        if (not_executable.empty() && fs::is_regular_file(file, ignored)) {
            not_executable = file;
        }
    }
    if (!not_executable.empty()) {
        return checked_executable(not_executable);
    }
    std::error_code ignored;
    const bool is_local = fs::is_regular_file(name, ignored);
    throw failure(
        "'" + name + "' is not a program in PATH; " +
        (is_local ? "for the file in this folder give './" + name + "'" : "give its path, or install it"));
}

fs::path resolve_program(const std::string& name) {
    return name.find('/') != std::string::npos ? checked_executable(name) : search_path(name);
}

/// Returns: the text behind "#!"; empty if the file is not a script.
std::string interpreter_line(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string line(longest_first_line, '\0');
    in.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<std::size_t>(in.gcount()));
    if (!line.starts_with("#!")) {
        return {};
    }
    line = line.substr(2, line.find('\n') - 2);
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t last = line.find_last_not_of(" \t\r");
    return first == std::string::npos ? std::string() : line.substr(first, last - first + 1);
}

std::vector<std::string> split(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

/// Returns: the interpreter and its arguments, as `env` would start them.
std::vector<std::string> without_env(const std::string& arguments, const fs::path& script) {
    std::vector<std::string> words = split(arguments);
    const bool splits = !words.empty() && words.front() == "-S";
    if (splits) {
        words.erase(words.begin());
    }
    const bool plain = !words.empty() && (splits || words.size() == 1) && !words.front().starts_with("-") &&
                       words.front().find('=') == std::string::npos &&
                       arguments.find_first_of("\"'\\$") == std::string::npos;
    if (!plain) {
        throw failure("'" + script.string() + "' starts its interpreter by 'env " + arguments +
                      "', which is not understood; name the interpreter: mallard record -- INTERPRETER " +
                      script.string());
    }
    return words;
}

} // namespace

command find_command(const std::vector<std::string>& words) {
    command result{resolve_program(words.front()), {}, words};
    result.elf = result.started;
    for (int depth = 0; depth < most_scripts; ++depth) {
        const fs::path script = result.elf;
        const std::string line = interpreter_line(script);
        if (line.empty()) {
            return result;
        }
        const std::size_t space = line.find_first_of(" \t");
        const fs::path interpreter = line.substr(0, space);
        if (!can_execute(interpreter)) {
            throw failure("'" + script.string() + "' is a script for '" + interpreter.string() +
                          "', which is missing or not executable; install it, or correct the first line");
        }
        result.elf = interpreter;
        if (interpreter.filename() != "env") {
            continue;
        }
        std::vector<std::string> env_words =
            without_env(space == std::string::npos ? std::string() : line.substr(space + 1), script);
        result.started = result.elf = resolve_program(env_words.front());
        result.words.front() = script;
        env_words.insert(env_words.end(), result.words.begin(), result.words.end());
        result.words = std::move(env_words);
    }
    throw failure(
        "'" + words.front() +
        "' is a script whose interpreters are scripts, nested too deeply; record the program that they run");
}

} // namespace mallard::collector
