/// Runs a program under the recorder that compares each stack of each event with a walk of the whole stack, and some with
/// libgcc's. At the first difference it ends the program.
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
    int status = -1; ///< as of wait()
    std::string output;
    unsigned long by_full_walk = 0; ///< stacks that were compared, of all its processes
    unsigned long by_libgcc = 0;
    unsigned long with_former_middle = 0; ///< deep ones, whose middle was that of an event before
    unsigned long incomplete = 0;
};

/// Effects: runs the command of a shell in the folder, if one is given. `setting` has variables, as env takes them.
checked_run run_checked(const std::string& command, const std::string& setting = "",
                        const std::filesystem::path& folder = {});

} // namespace mallard::test
