#include "recorder/collect/parts/disk_reserve.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace mallard::collect {

namespace {

constexpr std::uint64_t most_reserved = std::uint64_t{8} << 20;
constexpr std::uint64_t disk_share = 8;

std::uint64_t free_bytes(const std::filesystem::path& folder) noexcept {
    struct ::statvfs info{};
    return ::statvfs(folder.c_str(), &info) == 0 ? std::uint64_t{info.f_bavail} * info.f_frsize : UINT64_MAX;
}

} // namespace

disk_reserve::disk_reserve(const std::filesystem::path& folder) : file_(folder / "reserve") {
    const int file = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return;
    }
    const std::uint64_t bytes = std::min(most_reserved, free_bytes(folder) / disk_share);
    (void)!::posix_fallocate(file, 0, static_cast<off_t>(bytes));
    ::close(file);
}

disk_reserve::~disk_reserve() {
    release();
}

bool disk_reserve::release() noexcept {
    if (file_.empty()) {
        return false;
    }
    ::unlink(file_.c_str());
    file_.clear();
    return true;
}

} // namespace mallard::collect
