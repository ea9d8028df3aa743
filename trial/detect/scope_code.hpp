/// Tells if a call returns into the code of the scope, or into code that is left out of it.
///
/// Data model: the ranges are offsets in files, because files are loaded at other addresses each time. A table by return
/// address remembers the answers: | address | 1 bit |. Threads read and write its words without a lock.
/// Invariant: a word is right as long as its code is loaded. `clear` follows each unloading.
#pragma once

#include "recorder/code/code_objects.hpp"
#include "trial/setting.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace mallard::trial {

class scope_code {
public:
    /// Effects: `seen` gets a bit for each of the first 32 ranges in which a call was seen.
    void begin(const code_ranges& asked, std::atomic<std::uint32_t>& seen) noexcept {
        asked_ = &asked;
        seen_ = &seen;
    }

    [[nodiscard]] bool empty() const noexcept { return asked_ == nullptr || asked_->count == 0; }

    /// Returns: true if the instruction before `return_address` is in one of the ranges.
    [[nodiscard]] bool has(std::uint64_t return_address) noexcept {
        std::atomic<std::uint64_t>& place =
            places_[(return_address ^ return_address >> place_bits) & (places - 1)];
        const std::uint64_t known = place.load(std::memory_order_relaxed);
        if (known >> 1 == return_address) [[likely]] {
            return (known & 1) != 0;
        }
        const bool answer = look(return_address - 1);
        place.store(return_address << 1 | (answer ? 1 : 0), std::memory_order_relaxed);
        return answer;
    }

    /// Effects: forgets all answers.
    void clear() noexcept;

private:
    static constexpr unsigned place_bits = 14;
    static constexpr std::uint64_t places = std::uint64_t{1} << place_bits;

    bool look(std::uint64_t instruction) noexcept;

    const code_ranges* asked_ = nullptr;
    std::atomic<std::uint32_t>* seen_ = nullptr;
    std::array<std::atomic<std::uint64_t>, places> places_{};
};

} // namespace mallard::trial
