/// Runs a program under the recorder that compares each stack with a full walk, and some with libgcc's. At the first
/// difference it aborts the program.
#pragma once

#include <filesystem>
#include <string>

namespace mallard::test {

class temporary_folder {
public:
    temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

struct checked_run {
    int status = -1; ///< in the format of wait()
    std::string output;
    unsigned long by_full_walk = 0; ///< compared stacks, of all processes
    unsigned long by_libgcc = 0;
    unsigned long with_former_middle = 0; ///< deep stacks whose middle was that of an earlier event
    unsigned long incomplete = 0;
};

/// Effects: runs the shell command, in the folder unless that is empty. `setting` has variables in the format of env.
checked_run run_checked(const std::string& command, const std::string& setting = "",
                        const std::filesystem::path& folder = {});

} // namespace mallard::test
