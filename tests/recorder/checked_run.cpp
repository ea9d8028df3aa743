#include "checked_run.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>

namespace mallard::test {

namespace {

constexpr const char* said = "stack check: ";

} // namespace

temporary_folder::temporary_folder() {
    std::string name = std::filesystem::temp_directory_path() / "mallard-recorder-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) {
        path_ = name;
    }
}

checked_run run_checked(const std::string& command, const std::string& setting,
                        const std::filesystem::path& folder) {
    const temporary_folder parts;
    const std::string go = folder.empty() ? "" : "cd " + folder.string() + " && ";
    const std::string line = go + "env " + setting + " MALLARD_RECORD=" + parts.path().string() +
                             " LD_PRELOAD=" CHECKED_RECORDER " " + command + " 2>&1";
    checked_run found;
    FILE* const pipe = ::popen(line.c_str(), "r");
    std::array<char, 4096> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) {
        found.output += piece.data();
    }
    found.status = ::pclose(pipe);
    // Each process of the program has its own line.
    for (auto at = found.output.find(said); at != std::string::npos; at = found.output.find(said, at + 1)) {
        unsigned long by_full_walk = 0;
        unsigned long by_libgcc = 0;
        unsigned long with_former_middle = 0;
        unsigned long incomplete = 0;
        std::sscanf(
            found.output.c_str() + at,
            "stack check: %lu as by a full walk, %lu as by libgcc, %lu with a former middle, %lu incomplete",
            &by_full_walk, &by_libgcc, &with_former_middle, &incomplete);
        found.by_full_walk += by_full_walk;
        found.by_libgcc += by_libgcc;
        found.with_former_middle += with_former_middle;
        found.incomplete += incomplete;
    }
    return found;
}

} // namespace mallard::test
