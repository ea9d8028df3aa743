/// The row of a function's call frame table at one address: the locations of the caller's registers.
///
/// Source: DWARF 5, section 6.4.1.
#pragma once

#include "recorder/dwarf/expression.hpp"
#include "recorder/dwarf/frame_description.hpp"
#include "recorder/system/byte_cursor.hpp"

#include <array>
#include <cstdint>

namespace mallard::recorder::unwind {

enum class place : std::uint8_t {
    unchanged,            ///< in the same register
    undefined,            ///< lost; for the return address: the function has no caller
    memory_at_offset,     ///< at the canonical frame address + number
    offset,               ///< the canonical frame address + number
    another_register,     ///< in register number
    memory_at_expression, ///< at the address that the expression computes
    expression,           ///< the value of the expression
};

/// Packed into eight bytes, because rows are on the program's stack, which may be a signal handler's.
class register_rule {
public:
    register_rule() noexcept = default;
    register_rule(place where, std::int64_t number) noexcept
        : word_(static_cast<std::uint64_t>(number) << 8 | static_cast<std::uint8_t>(where)) {}
    /// `expression` begins with its length.
    register_rule(place where, const std::uint8_t* expression) noexcept
        : word_(reinterpret_cast<address>(expression) << 8 | static_cast<std::uint8_t>(where)) {}

    [[nodiscard]] place where() const noexcept { return static_cast<place>(word_); }
    [[nodiscard]] std::int64_t number() const noexcept { return static_cast<std::int64_t>(word_) >> 8; }
    [[nodiscard]] const std::uint8_t* expression() const noexcept {
        return reinterpret_cast<const std::uint8_t*>(word_ >> 8);
    }

private:
    std::uint64_t word_ = 0; ///< unchanged
};

struct row {
    /// The canonical frame address: `offset` from register `frame_register`, or an expression.
    register_rule frame;
    std::uint64_t frame_register = arch::stack_pointer;
    std::array<register_rule, register_count> rules{};
};

/// Returns: true if the instructions up to `pc` are known; stores the row in `result`.
/// Complexity: O(n) for n instructions.
bool row_at(const frame_description& function, address pc, row& result) noexcept;

} // namespace mallard::recorder::unwind
