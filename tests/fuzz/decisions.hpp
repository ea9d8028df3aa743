/// Decisions derived from bytes, which are random or come from a fuzzer.
#pragma once

#include <mallard/core/alignment.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuzz {

class decisions {
public:
    explicit decisions(std::span<const std::uint8_t> bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] bool has_more() const noexcept { return !bytes_.empty(); }

    /// Returns: the next byte, or 0 at the end.
    [[nodiscard]] std::size_t byte() noexcept {
        if (bytes_.empty()) {
            return 0;
        }
        const std::uint8_t first = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return first;
    }

    /// Returns: a number from 0 to n - 1, read from as few bytes as can encode it.
    [[nodiscard]] std::size_t below(std::size_t n) noexcept {
        std::size_t drawn = 0;
        for (std::size_t range = n - 1; range != 0; range >>= 8) {
            drawn = drawn << 8 | byte();
        }
        return drawn % n;
    }

    [[nodiscard]] bool one_in(std::size_t n) noexcept { return below(n) == 0; }

    /// Returns: a block size, usually small, occasionally up to a million, often near a power of two.
    [[nodiscard]] std::size_t bytes_of_a_block() noexcept {
        const std::size_t magnitude = below(16);
        if (magnitude == 0) {
            return below(8);
        }
        if (magnitude < 9) {
            return below(256);
        }
        if (magnitude < 13) {
            return below(4096);
        }
        if (magnitude == 13) {
            return below(std::size_t{64} << 10);
        }
        if (magnitude == 14) {
            const std::size_t power = std::size_t{64} << below(14);
            return power - 64 + below(128);
        }
        return one_in(8) ? below(std::size_t{1} << 20) : below(1024);
    }

    /// Returns: the fundamental alignment in seven of eight cases, else any up to 8192.
    [[nodiscard]] std::size_t alignment() noexcept {
        return one_in(8) ? std::size_t{1} << below(14) : mallard::fundamental_alignment;
    }

private:
    std::span<const std::uint8_t> bytes_;
};

} // namespace fuzz
