/// The way from a frame to its caller, for each return address that was met.
///
///     word   | 32 bits of the address | kind 2 | base 1 | frame / 8, 17 bits | saved rbp / 8, 12 bits |
///     bucket | word | older word |          found by the other 15 bits of the address
///
/// Data model: a word tells a whole rule, so threads read and write words without a lock. A new word takes the first
/// place of its bucket, and pushes the other one back. With a single word, two return addresses of one bucket in a loop
/// would be evaluated for ever.
/// Invariant: a word is right as long as its code is loaded. `clear` follows each unloading.
#pragma once

#include "recorder/dwarf/byte_cursor.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace mallard::recorder::unwind {

/// The rule of one return address, in 32 bits.
class rule {
public:
    enum kind : std::uint8_t {
        none,    ///< not known yet
        simple,  ///< the frame address is rsp or rbp plus a constant, and the return address stands below it
        last,    ///< nothing called this function
        complex, ///< the description has to be evaluated each time, or there is none
    };

    constexpr rule() noexcept = default;
    constexpr explicit rule(std::uint32_t bits) noexcept : bits_(bits) {}
    constexpr explicit rule(kind which) noexcept : bits_(std::uint32_t{which}) {}

    /// Returns: the rule, or a complex one if the numbers do not fit.
    static constexpr rule of(bool by_rbp, std::int64_t frame_offset, std::int64_t rbp_below) noexcept {
        const bool fits = frame_offset > 0 && frame_offset < std::int64_t{1} << 20 && frame_offset % 8 == 0 &&
                          rbp_below >= 0 && rbp_below < std::int64_t{1} << 15 && rbp_below % 8 == 0;
        if (!fits) {
            return rule(complex);
        }
        return rule(std::uint32_t{simple} | (by_rbp ? 4U : 0U) |
                    static_cast<std::uint32_t>(frame_offset / 8) << 3 |
                    static_cast<std::uint32_t>(rbp_below / 8) << 20);
    }

    /// The usual frame of a function that keeps a frame pointer: the return address, and below it the caller's rbp.
    static constexpr rule by_frame_pointer() noexcept { return of(true, 16, 16); }

    [[nodiscard]] constexpr kind which() const noexcept { return static_cast<kind>(bits_ & 3U); }
    [[nodiscard]] constexpr bool by_rbp() const noexcept { return (bits_ & 4U) != 0; }
    /// From the base to the canonical frame address, in bytes.
    [[nodiscard]] constexpr address frame_offset() const noexcept {
        return (bits_ >> 3 & 0x1ffffU) * address{8};
    }
    /// From the canonical frame address down to the saved rbp, in bytes; 0 if rbp is not saved.
    [[nodiscard]] constexpr address rbp_below() const noexcept { return (bits_ >> 20) * address{8}; }
    [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }

private:
    std::uint32_t bits_ = none;
};

/// Returns: the rule for the address before `key`, from the description of its function. A function without one keeps a frame
/// pointer if `others_have_frame_pointers`.
rule make_rule(address key, bool others_have_frame_pointers) noexcept;

class rule_table {
public:
    /// Returns: the rule for a call that returns to `key`, or, with key - 1, for an instruction that was interrupted.
    /// Complexity: O(1) for a known one; else a search among the functions of its file.
    rule find(address key) noexcept {
        bucket& here = buckets_[index_of(key)];
        const std::uint64_t first = here[0].load(std::memory_order_relaxed);
        if (first >> 32 == tag_of(key)) [[likely]] {
            return rule(static_cast<std::uint32_t>(first));
        }
        const std::uint64_t second = here[1].load(std::memory_order_relaxed);
        if (second >> 32 == tag_of(key)) {
            return rule(static_cast<std::uint32_t>(second));
        }
        return add(key, here);
    }

    /// Effects: takes every function without a description to keep a frame pointer from now on, if `all_have_them`. One with
    /// a description may use rbp for something else, as those of libc do from which main is called.
    void walk_frame_pointers(bool all_have_them) noexcept { by_frame_pointers_ = all_have_them; }

    /// Returns: true if a frame pointer of 0 ends a stack.
    [[nodiscard]] bool walks_frame_pointers() const noexcept { return by_frame_pointers_; }

    /// Effects: forgets all rules, because code was unloaded.
    void clear() noexcept;

    /// Returns: a number that changes with each `clear`.
    [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }

    /// Returns: the rules made so far.
    [[nodiscard]] std::uint64_t made() const noexcept { return made_.load(std::memory_order_relaxed); }

private:
    static constexpr unsigned index_bits = 15;
    using bucket = std::array<std::atomic<std::uint64_t>, 2>;

    // The part of the address that is not in the tag can be had back from both, so a word belongs to one address.
    static constexpr std::uint64_t tag_of(address key) noexcept { return key >> index_bits & 0xffffffffU; }
    static constexpr std::uint64_t index_of(address key) noexcept {
        return (key ^ tag_of(key) * 0x9e37U) & ((1U << index_bits) - 1);
    }

    [[gnu::cold, gnu::noinline]] rule add(address key, bucket& here) noexcept {
        const rule made = make_rule(key, by_frame_pointers_);
        made_.fetch_add(1, std::memory_order_relaxed);
        here[1].store(here[0].load(std::memory_order_relaxed), std::memory_order_relaxed);
        here[0].store(tag_of(key) << 32 | made.bits(), std::memory_order_relaxed);
        return made;
    }

    std::array<bucket, std::size_t{1} << index_bits> buckets_{};
    std::atomic<std::uint64_t> made_{0};
    std::atomic<std::uint32_t> epoch_{0};
    bool by_frame_pointers_ = false;
};

} // namespace mallard::recorder::unwind
