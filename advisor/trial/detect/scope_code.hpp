/// Decides whether a call returns into the code of the scope, or into code that is excluded from it.
///
/// Data model: the ranges are offsets in files, because load addresses vary. A table by return address caches the
/// answers: | address | 1 bit |. Threads read and write its words without a lock.
/// Invariant: a word is valid as long as its code is loaded. `clear` is called after each unloading.
#pragma once

#include "recorder/code/code_objects.hpp"
#include "trial/setting.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace mallard::trial {

class scope_code {
public:
    /// Effects: sets a bit in `seen` for each of the first 32 ranges in which a call was seen.
    void begin(const code_ranges& ranges, std::atomic<std::uint32_t>& seen) noexcept {
        ranges_ = &ranges;
        seen_ = &seen;
    }

    [[nodiscard]] bool empty() const noexcept { return ranges_ == nullptr || ranges_->count == 0; }

    /// Returns: true if the instruction before `return_address` is in one of the ranges.
    [[nodiscard]] bool has(std::uint64_t return_address) noexcept {
        std::atomic<std::uint64_t>& place =
            places_[(return_address ^ return_address >> place_bits) & (places - 1)];
        const std::uint64_t cached = place.load(std::memory_order_relaxed);
        if (cached >> 1 == return_address) [[likely]] {
            return (cached & 1) != 0;
        }
        const bool answer = look_up(return_address - 1);
        place.store(return_address << 1 | (answer ? 1 : 0), std::memory_order_relaxed);
        return answer;
    }

    /// Effects: forgets all answers.
    void clear() noexcept;

private:
    static constexpr unsigned place_bits = 14;
    static constexpr std::uint64_t places = std::uint64_t{1} << place_bits;

    bool look_up(std::uint64_t instruction) noexcept;

    const code_ranges* ranges_ = nullptr;
    std::atomic<std::uint32_t>* seen_ = nullptr;
    std::array<std::atomic<std::uint64_t>, places> places_{};
};

} // namespace mallard::trial
