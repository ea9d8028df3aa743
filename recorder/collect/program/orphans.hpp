/// Processes of a followed program that outlive their parents.
///
/// A process has a part once it allocates. Until then the collector sees nothing of it: the parent's end alone would end the
/// recording too early. So these processes become children of the collector, which then asks the system about them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace mallard::collect {

class orphans {
public:
    /// Effects: from now on, descendants of this process whose parents end become its children.
    explicit orphans(const std::filesystem::path& parts);

    /// Effects: the system forgets the children that have ended, up to the first that is `but`.
    void forget_ended(pid_t but) noexcept;
    /// Requires: the recorded program has ended, and been waited for.
    /// Returns: false if no child can begin a part any more. That needs the loader, and the environment of the recording.
    [[nodiscard]] bool may_begin() const;

private:
    std::string variable_; ///< of the environment, as /proc has it
};

} // namespace mallard::collect
