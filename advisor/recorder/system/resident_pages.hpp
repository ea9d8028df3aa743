/// The resident pages of a range of memory, by mincore().
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mallard::recorder {

/// Returns: the share of the whole pages in the range that are resident, in 1/65,536; of a long range by a sample of its pieces.
/// Nothing if the range has no whole page, or is not mapped.
/// Complexity: at most 64 system calls.
[[gnu::noinline]] inline std::optional<std::uint32_t> resident_share(std::uintptr_t begin,
                                                                     std::size_t bytes) noexcept {
    constexpr std::size_t pages_of_piece = 128;
    constexpr std::size_t most_pieces = 64;
    const int saved_errno = errno;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = (begin + page - 1) / page * page;
    const std::uintptr_t end = (begin + bytes) / page * page;
    const std::size_t pages = end > first ? (end - first) / page : 0;
    const std::size_t pieces = (pages + pages_of_piece - 1) / pages_of_piece;
    const std::size_t stride = (pieces + most_pieces - 1) / most_pieces;
    std::size_t seen = 0;
    std::size_t resident = 0;
    std::array<unsigned char, pages_of_piece> is_resident;
    for (std::size_t piece = 0; piece < pieces; piece += stride) {
        const std::size_t at = piece * pages_of_piece;
        const std::size_t count = pages - at < pages_of_piece ? pages - at : pages_of_piece;
        if (::mincore(reinterpret_cast<void*>(first + at * page), count * page, is_resident.data()) != 0) {
            seen = 0;
            break;
        }
        for (std::size_t index = 0; index < count; ++index) {
            resident += is_resident[index] & 1U;
        }
        seen += count;
    }
    errno = saved_errno;
    if (seen == 0) {
        return std::nullopt;
    }
    return static_cast<std::uint32_t>((resident << 16) / seen);
}

} // namespace mallard::recorder
