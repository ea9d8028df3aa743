/// The growth of an allocator's chunks, from a first size to a largest one (core/chunk_growth.hpp).
///
/// An upstream that is nearly full, such as a buffer, may refuse a chunk of the planned size. Then half as many bytes are tried, and so on.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/chunk_growth.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace mallard::chunks { inline namespace MALLARD_MODE {

/// The size of the next chunk, in four bytes because allocators should be small.
class next_chunk {
public:
    static constexpr std::size_t smallest_bytes = 64;
    /// Less than any address space, so that sums of a few are representable.
    static constexpr std::size_t most_bytes = std::size_t{1} << (sizeof(std::size_t) > 4 ? 46 : 30);

    /// Effects: plans chunks by `growth`, none larger than `limit_bytes`.
    /// Requires: `limit_bytes` is a power of two from 64 to most_bytes.
    explicit constexpr next_chunk(chunk_growth growth, std::size_t limit_bytes = most_bytes) noexcept
        : largest_log2_(floor_log2(
              core::clamp(value_or_default(growth.largest_chunk_bytes, defaults.largest_chunk_bytes),
                          smallest_bytes, limit_bytes))),
          factor_log2_(ceil_log2(core::clamp(growth.factor, std::size_t{2}, most_factor)) & 31U) {
        first_log2_ = log2_ =
            ceil_log2(core::clamp(value_or_default(growth.first_chunk_bytes, defaults.first_chunk_bytes),
                                  smallest_bytes, largest_bytes()));
    }

    /// Returns: the size of the next chunk, if no request needs more.
    [[nodiscard]] constexpr std::size_t bytes() const noexcept { return std::size_t{1} << log2_; }

    /// Returns: the size of a chunk that is to hold `least_bytes`.
    /// Requires: `least_bytes` is at most 2^63, so that a power of two above it exists.
    [[nodiscard]] constexpr std::size_t bytes_for(std::size_t least_bytes) const noexcept {
        if (least_bytes > std::size_t{1} << largest_log2_) {
            return least_bytes;
        }
        return least_bytes <= bytes() ? bytes() : std::bit_ceil(least_bytes);
    }

    /// Effects: plans the chunk that follows one of `bytes`, which was taken for a request that needs `least_bytes`.
    /// Apart from bytes_for(), so that a request that fails leaves the plan unchanged.
    constexpr void took(std::size_t bytes, std::size_t least_bytes) noexcept {
        const unsigned log2 = floor_log2(bytes);
        unsigned step = log2 < least_doubled_log2 ? factor_log2_ : 1U;
        if constexpr (repeats_sizes) {
            if (bytes >= least_repeated_bytes) {
                step = count(bytes, least_bytes);
            }
        }
        log2_ = static_cast<std::uint8_t>(core::clamp<unsigned>(log2 + step, first_log2_, largest_log2_));
    }

    /// Effects: begins again with the first size, or with the first one that holds more than `bytes`.
    constexpr void restart(std::size_t bytes = 0) noexcept {
        log2_ = core::clamp(static_cast<std::uint8_t>(std::bit_width(bytes)), first_log2_, largest_log2_);
        taken_ = 0;
    }

    [[nodiscard]] constexpr std::size_t largest_bytes() const noexcept {
        return std::size_t{1} << largest_log2_;
    }

    [[nodiscard]] constexpr std::size_t first_bytes() const noexcept { return std::size_t{1} << first_log2_; }

private:
    static constexpr chunk_growth defaults{};
    static constexpr std::size_t most_factor = core::min(most_bytes, std::size_t{1} << 31);

    static constexpr std::size_t value_or_default(std::size_t bytes, std::size_t default_bytes) noexcept {
        return bytes == 0 ? default_bytes : bytes;
    }

    static constexpr std::uint8_t floor_log2(std::size_t n) noexcept {
        return static_cast<std::uint8_t>(std::bit_width(n) - 1);
    }

    static constexpr std::uint8_t ceil_log2(std::size_t n) noexcept {
        return static_cast<std::uint8_t>(std::bit_width(n - 1));
    }

    /// Effects: counts a chunk among those of its size. The number is too high, and a size is repeated less often, if smaller
    /// chunks came between them because the upstream was nearly full.
    /// Returns: 1 if the next one is twice as large, 0 if it has the same size.
    constexpr unsigned count(std::size_t bytes, std::size_t least_bytes) noexcept {
        const unsigned taken = bytes == this->bytes() ? taken_ + 1U : 1U;
        // The rest of a chunk of few blocks may be a large part of it, so its size is not repeated.
        const bool repeated = bytes <= most_repeated_bytes && least_bytes <= bytes / least_blocks_a_chunk &&
                              taken < core::min(bytes / bytes_a_repetition, most_chunks_a_size);
        taken_ = static_cast<std::uint8_t>((repeated ? taken : 0U) & 7U);
        return repeated ? 0 : 1;
    }

    /// Small systems have no such chunks, and little room for code.
    static constexpr bool repeats_sizes = sizeof(std::size_t) > 4;
    static constexpr unsigned least_doubled_log2 = 12;
    static constexpr std::size_t least_repeated_bytes = std::size_t{16} << 10;
    static constexpr std::size_t most_repeated_bytes = std::size_t{128} << 10; ///< huge pages are near
    static constexpr std::size_t bytes_a_repetition = std::size_t{8} << 10;
    static constexpr std::size_t most_chunks_a_size = 8;
    static constexpr std::size_t least_blocks_a_chunk = 32;

    std::uint8_t first_log2_ = 0;
    std::uint8_t log2_ = 0;
    std::uint8_t largest_log2_;
    std::uint8_t factor_log2_ : 5;
    std::uint8_t taken_ : 3 = 0; ///< chunks of the next size
};

/// Effects: calls take(source, bytes), and again with half of `bytes` as long as it returns null, down to `least_bytes`. The
/// source of the last call throws the upstream's exceptions, unless `Quiet` is true. Sets `bytes` to the number that was taken.
/// Requires: take() returns null only if a quiet source has no memory. `least_bytes <= bytes`.
/// Returns: the result of take().
template <bool Quiet, upstream Upstream, class Take>
[[gnu::always_inline]] inline auto* take_chunk(const core::upstream_handle<Upstream>& handle,
                                               std::size_t& bytes, std::size_t least_bytes, Take take) {
    if constexpr (core::fails_recoverably<Upstream>) {
        while (bytes > least_bytes) {
            if (auto* const taken = take(core::quiet_source<Upstream, !Quiet>(handle), bytes)) [[likely]] {
                return taken;
            }
            bytes = core::max(least_bytes, core::align_down(bytes / 2, fundamental_alignment));
        }
    }
    return take(core::source_from<Quiet>(handle), bytes);
}

}} // namespace mallard::chunks::MALLARD_MODE
