/// How the program is made to load the recorder: by its environment.
#pragma once

#include "recorder/collect/arguments.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collect {

class preloading {
public:
    /// Effects: finds the recorder's library beside this program. If its path has a letter that would end its name in
    /// LD_PRELOAD, a link to it without one is made.
    /// Throws: failure if it is missing.
    preloading();
    preloading(const preloading&) = delete;
    preloading& operator=(const preloading&) = delete;
    ~preloading();

    /// Returns: the user's environment with the recorder in it. The recorder stands first in LD_PRELOAD, because it takes the
    /// first one out again.
    [[nodiscard]] std::vector<std::string> environment(const arguments& how,
                                                       const std::filesystem::path& parts) const;

private:
    std::filesystem::path library_;
    std::filesystem::path link_folder_;
};

} // namespace mallard::collect
