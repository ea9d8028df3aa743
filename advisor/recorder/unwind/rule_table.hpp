/// The cached unwind rules, by return address.
///
///     word   | 32 bits of the address | kind 2 | base 1 | operands 29 |
///     bucket | word | older word |          indexed by the other 15 bits of the address
///
/// Data model: a word is a complete rule, so threads read and write words without a lock. A new word takes the first
/// place of its bucket, and moves the older one to the second. With a single word, two return addresses of one bucket in a
/// loop would evict each other for ever.
/// Invariant: a word is valid while its code is loaded. `clear` follows each unloading.
#pragma once

#include "recorder/arch/arch.hpp"
#include "recorder/system/byte_cursor.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace mallard::recorder::unwind {

/// The rule of one return address, in 32 bits.
class rule {
public:
    enum rule_kind : std::uint8_t {
        none, ///< not known yet
        simple, ///< the frame address is the stack or frame pointer plus a constant; the return address is below it
        last,    ///< the function is outermost
        complex, ///< the description must be evaluated each time, or is missing
    };

    constexpr rule() noexcept = default;
    constexpr explicit rule(std::uint32_t bits) noexcept : bits_(bits) {}
    constexpr explicit rule(rule_kind value) noexcept : bits_(std::uint32_t{value}) {}

    /// Returns: the rule, or a complex one if an operand does not fit.
    static constexpr rule encode(bool by_frame_pointer, std::int64_t frame_offset,
                                 std::int64_t frame_pointer_below, std::int64_t return_below) noexcept {
        if (!arch::rule_operands::fit(frame_offset, frame_pointer_below, return_below)) {
            return rule(complex);
        }
        return rule(std::uint32_t{simple} | (by_frame_pointer ? 4U : 0U) |
                    arch::rule_operands::encode(frame_offset, frame_pointer_below, return_below));
    }

    /// The standard frame of a function with a frame pointer; complex if that does not determine the frame.
    static constexpr rule standard_frame() noexcept {
        return encode(true, arch::standard_frame_bytes, arch::standard_frame_bytes,
                      arch::standard_return_below);
    }

    [[nodiscard]] constexpr rule_kind kind() const noexcept { return static_cast<rule_kind>(bits_ & 3U); }
    [[nodiscard]] constexpr bool by_frame_pointer() const noexcept { return (bits_ & 4U) != 0; }
    /// From the base to the canonical frame address, in bytes.
    [[nodiscard]] constexpr address frame_offset() const noexcept {
        return arch::rule_operands::frame_offset(bits_);
    }
    /// From the canonical frame address down to the saved frame pointer, in bytes; 0 if it is not saved.
    [[nodiscard]] constexpr address frame_pointer_below() const noexcept {
        return arch::rule_operands::frame_pointer_below(bits_);
    }
    /// From the canonical frame address down to the return address, in bytes.
    [[nodiscard]] constexpr address return_below() const noexcept {
        return arch::rule_operands::return_below(bits_);
    }
    [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }

private:
    std::uint32_t bits_ = none;
};

/// Returns: the rule for the instruction before `key`, from the description of its function. A function without one keeps a frame
/// pointer if `assume_frame_pointers`.
rule make_rule(address key, bool assume_frame_pointers) noexcept;

class rule_table {
public:
    /// Returns: the rule for a call that returns to `key`, or, with key + 1, for an instruction that was interrupted.
    /// Complexity: O(1) if cached; else a search among the functions of its file.
    rule find(address key) noexcept {
        bucket& entry = buckets_[bucket_index(key)];
        const std::uint64_t first = entry[0].load(std::memory_order_relaxed);
        if (first >> 32 == tag(key)) [[likely]] {
            return rule(static_cast<std::uint32_t>(first));
        }
        const std::uint64_t second = entry[1].load(std::memory_order_relaxed);
        if (second >> 32 == tag(key)) {
            return rule(static_cast<std::uint32_t>(second));
        }
        return add(key, entry);
    }

    /// Effects: if `enabled`, functions without a description are assumed to keep a frame pointer. A function with a description
    /// may use the register for another purpose, as those of libc do that call main.
    void walk_frame_pointers(bool enabled) noexcept { by_frame_pointers_ = enabled; }

    /// Returns: true if a frame pointer of 0 ends a stack.
    [[nodiscard]] bool walks_frame_pointers() const noexcept { return by_frame_pointers_; }

    /// Effects: removes all rules, because code was unloaded.
    void clear() noexcept;

    /// Returns: a number that changes with each `clear`.
    [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }

    /// Returns: the number of rules added.
    [[nodiscard]] std::uint64_t rule_count() const noexcept {
        return rule_count_.load(std::memory_order_relaxed);
    }

private:
    static constexpr unsigned index_bits = 15;
    using bucket = std::array<std::atomic<std::uint64_t>, 2>;

    // Tag and index determine the address, but for the highest of 48 bits (arch::address_in_trace), so a word belongs to one
    // address.
    static constexpr std::uint64_t tag(address key) noexcept { return key >> index_bits & 0xffffffffU; }
    static constexpr std::uint64_t bucket_index(address key) noexcept {
        return (key ^ tag(key) * 0x9e37U) & ((1U << index_bits) - 1);
    }

    [[gnu::cold, gnu::noinline]] rule add(address key, bucket& entry) noexcept {
        const rule added = make_rule(key, by_frame_pointers_);
        rule_count_.fetch_add(1, std::memory_order_relaxed);
        entry[1].store(entry[0].load(std::memory_order_relaxed), std::memory_order_relaxed);
        entry[0].store(tag(key) << 32 | added.bits(), std::memory_order_relaxed);
        return added;
    }

    std::array<bucket, std::size_t{1} << index_bits> buckets_{};
    std::atomic<std::uint64_t> rule_count_{0};
    std::atomic<std::uint32_t> epoch_{0};
    bool by_frame_pointers_ = false;
};

} // namespace mallard::recorder::unwind
