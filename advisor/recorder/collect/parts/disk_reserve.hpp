/// Disk space reserved for the end of the trace: if the disk fills up, the recorded events can still be written.
#pragma once

#include <filesystem>

namespace mallard::collect {

class disk_reserve {
public:
    /// Effects: reserves the space, if available.
    explicit disk_reserve(const std::filesystem::path& folder);
    disk_reserve(const disk_reserve&) = delete;
    disk_reserve& operator=(const disk_reserve&) = delete;
    ~disk_reserve();

    /// Effects: releases the space.
    /// Returns: false if it was released before.
    bool release() noexcept;

private:
    std::filesystem::path file_;
};

} // namespace mallard::collect
