/// Makes the program load the recorder, through its environment.
#pragma once

#include "collector/arguments.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collector {

class preloading {
public:
    /// Effects: finds the recorder's library next to this program. If its path has a character that ends a name in
    /// LD_PRELOAD, creates a link without one. `mallard` removes the link of a killed process (scratch.py).
    /// Throws: failure if it is missing, or if the recorder could not create its files in the folder `parts`.
    explicit preloading(const std::filesystem::path& parts);
    preloading(const preloading&) = delete;
    preloading& operator=(const preloading&) = delete;
    ~preloading();

    [[nodiscard]] const std::filesystem::path& library() const noexcept { return library_; }

    /// Returns: the user's environment with the recorder in it. The recorder is the first library in LD_PRELOAD, because it
    /// removes the first one again.
    [[nodiscard]] std::vector<std::string> environment(const arguments& args,
                                                       const std::filesystem::path& parts) const;

private:
    std::filesystem::path library_;
    std::filesystem::path link_folder_;
    int link_lock_ = -1; ///< tells another PID namespace with the same /tmp that this process is alive
};

} // namespace mallard::collector
