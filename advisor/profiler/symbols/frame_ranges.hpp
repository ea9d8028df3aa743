/// The functions of a file by .eh_frame, which has ranges for nearly all functions, and no names.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

struct Elf;

namespace mallard::advisor {

class frame_ranges {
public:
    struct range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };

    /// Effects: reads the file's .eh_frame, and skips damaged entries.
    explicit frame_ranges(Elf* file);

    /// Returns: the range that contains the address.
    [[nodiscard]] std::optional<range> at(std::uint64_t address) const noexcept;

private:
    std::vector<range> ranges_; ///< by begin
};

} // namespace mallard::advisor
