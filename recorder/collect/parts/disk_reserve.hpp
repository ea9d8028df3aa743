/// Room on the disk that is kept for the end of the trace: if the disk fills up, what is recorded can still be compressed.
#pragma once

#include <filesystem>

namespace mallard::collect {

class disk_reserve {
public:
    /// Effects: takes the room, if there is some.
    explicit disk_reserve(const std::filesystem::path& folder);
    disk_reserve(const disk_reserve&) = delete;
    disk_reserve& operator=(const disk_reserve&) = delete;
    ~disk_reserve();

    /// Effects: gives the room back.
    /// Returns: false if that was done before.
    bool release() noexcept;

private:
    std::filesystem::path file_;
};

} // namespace mallard::collect
