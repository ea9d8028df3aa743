/// Processes of a followed program that outlive their parents.
///
/// A process has a part only once it allocates. Until then the collector does not see it, and the end of its parent would end the
/// recording too early. So these processes become children of the collector, which asks the system about them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace mallard::collect {

class orphans {
public:
    /// Effects: makes this process the reaper of descendants whose parents exit.
    explicit orphans(const std::filesystem::path& parts);

    /// Effects: waits for the exited children, up to the first that is `except`.
    void reap(pid_t except) noexcept;
    /// Requires: the recorded program has ended, and been waited for.
    /// Returns: false if no child can open a part any more. That takes the loader, and the environment of the recording.
    [[nodiscard]] bool may_begin() const;

private:
    std::string variable_; ///< an entry of the environment, as in /proc
};

} // namespace mallard::collect
