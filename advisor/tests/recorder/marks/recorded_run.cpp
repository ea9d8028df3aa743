#include "recorder/marks/recorded_run.hpp"

#include "recorder/marks/traced_part.hpp"
#include "trace/part.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace recorder_test {

namespace {

class folder {
public:
    folder() {
        std::string name = std::filesystem::temp_directory_path() / "recorded-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("no folder " + name);
        }
        path = name;
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() { std::filesystem::remove_all(path); }

    std::filesystem::path path;
};

std::string to_shell_word(const std::string& word) {
    return "'" + word + "'";
}

} // namespace

const part& recorded_run::only() const {
    if (parts.size() != 1) {
        throw std::runtime_error(std::to_string(parts.size()) + " processes were recorded");
    }
    return parts.front();
}

recorded_run run_recorded(const std::vector<std::string>& command, run_options options) {
    const folder parts_folder;
    const std::filesystem::path idle_file = parts_folder.path / mallard::trace::idle_file;
    if (options.idle) {
        std::ofstream(idle_file).close();
    }
    std::string line = "exec env MALLARD_RECORD=" + to_shell_word(parts_folder.path);
    if (options.preload) {
        line += " LD_PRELOAD=" + to_shell_word(MALLARD_RECORD_LIBRARY);
    }
    if (options.follow) {
        line += " MALLARD_RECORD_FOLLOW=1";
    }
    for (const std::string& word : command) {
        line += " " + to_shell_word(word);
    }
    std::FILE* const pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) {
        throw std::runtime_error("cannot start " + line);
    }
    recorded_run done;
    std::array<char, 4096> piece;
    while (const std::size_t bytes = std::fread(piece.data(), 1, piece.size(), pipe)) {
        done.output.append(piece.data(), bytes);
    }
    done.status = ::pclose(pipe);
    std::filesystem::remove(idle_file);
    const std::filesystem::directory_iterator files(parts_folder.path);
    const std::vector<std::filesystem::path> files_found(std::filesystem::begin(files),
                                                         std::filesystem::end(files));
    for (const std::filesystem::path& file : files_found) {
        done.parts.push_back(read_part(file));
        if (options.trace) {
            done.traced.push_back(read_by_trace(file));
        }
    }
    return done;
}

} // namespace recorder_test
