#include "checked_run.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>

namespace mallard::test {

namespace {

constexpr const char* report_prefix = "stack check: ";

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
    checked_run result;
    FILE* const pipe = ::popen(line.c_str(), "r");
    std::array<char, 4096> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) {
        result.output += piece.data();
    }
    result.status = ::pclose(pipe);
    // Each process of the program reports a line.
    for (auto at = result.output.find(report_prefix); at != std::string::npos;
         at = result.output.find(report_prefix, at + 1)) {
        unsigned long by_full_walk = 0;
        unsigned long by_libgcc = 0;
        unsigned long with_former_middle = 0;
        unsigned long incomplete = 0;
        std::sscanf(
            result.output.c_str() + at,
            "stack check: %lu as by a full walk, %lu as by libgcc, %lu with a former middle, %lu incomplete",
            &by_full_walk, &by_libgcc, &with_former_middle, &incomplete);
        result.by_full_walk += by_full_walk;
        result.by_libgcc += by_libgcc;
        result.with_former_middle += with_former_middle;
        result.incomplete += incomplete;
    }
    return result;
}

} // namespace mallard::test
