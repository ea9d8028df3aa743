#include "recorder/dwarf/row.hpp"

namespace mallard::recorder::unwind {

namespace {

/// The instructions, by the byte in front of their operands. The first three have an operand in its low six bits.
enum instruction : std::uint8_t {
    advance_location = 0x40,
    offset_low = 0x80,
    restore_low = 0xc0,
    no_operation = 0x00,
    set_location = 0x01,
    advance_location_1 = 0x02,
    advance_location_2 = 0x03,
    advance_location_4 = 0x04,
    offset_extended = 0x05,
    restore_extended = 0x06,
    undefined_register = 0x07,
    same_value = 0x08,
    in_register = 0x09,
    remember_state = 0x0a,
    restore_state = 0x0b,
    define_frame = 0x0c,
    define_frame_register = 0x0d,
    define_frame_offset = 0x0e,
    define_frame_expression = 0x0f,
    at_expression = 0x10,
    offset_extended_signed = 0x11,
    define_frame_signed = 0x12,
    define_frame_offset_signed = 0x13,
    value_offset = 0x14,
    value_offset_signed = 0x15,
    value_expression = 0x16,
    gnu_arguments_size = 0x2e,
    gnu_negative_offset_extended = 0x2f,
};

// Compilers save one state at a time, for an epilogue in the middle of a function. The states are on the program's stack.
constexpr unsigned most_remembered = 4;

class machine {
public:
    machine(const frame_description& function, address pc, row& result) noexcept
        : function_(function), pc_(pc), current_(result), location_(function.begin) {}

    bool run() noexcept {
        if (!run(function_.initial_begin, function_.initial_end)) {
            return false;
        }
        initial_ = current_;
        return run(function_.instructions_begin, function_.instructions_end);
    }

private:
    /// Returns: false for an unknown instruction.
    bool run(const std::uint8_t* begin, const std::uint8_t* end) noexcept {
        byte_cursor code(begin, end);
        while (!code.done() && !passed_) {
            if (!step(code)) {
                return false;
            }
        }
        return !code.failed();
    }

    bool step(byte_cursor& code) noexcept {
        const auto byte = code.fixed<std::uint8_t>();
        const std::uint64_t operand = byte & 0x3fU;
        switch (byte & 0xc0U) {
        case advance_location:
            advance(operand);
            return true;
        case offset_low:
            set(operand, place::memory_at_offset, unsigned_offset(code));
            return true;
        case restore_low:
            restore(operand);
            return true;
        default:
            return extended(byte, code);
        }
    }

    bool extended(std::uint8_t byte, byte_cursor& code) noexcept {
        if (arch::is_signing_instruction(byte)) {
            return true; // the signature is removed from each return address, wherever there is one
        }
        switch (byte) {
        case no_operation:
            return true;
        case set_location:
            advance_to(code.pointer(function_.pointer_encoding));
            return true;
        case advance_location_1:
            advance(code.fixed<std::uint8_t>());
            return true;
        case advance_location_2:
            advance(code.fixed<std::uint16_t>());
            return true;
        case advance_location_4:
            advance(code.fixed<std::uint32_t>());
            return true;
        case remember_state:
            return remember();
        case restore_state:
            return recall();
        case gnu_arguments_size:
            code.unsigned_number();
            return true;
        case define_frame:
        case define_frame_register:
        case define_frame_offset:
        case define_frame_expression:
        case define_frame_signed:
        case define_frame_offset_signed:
            frame_rule(byte, code);
            return true;
        default:
            return run_register_rule(byte, code);
        }
    }

    bool run_register_rule(std::uint8_t byte, byte_cursor& code) noexcept {
        const std::uint64_t number = code.unsigned_number();
        switch (byte) {
        case offset_extended:
            set(number, place::memory_at_offset, unsigned_offset(code));
            return true;
        case offset_extended_signed:
            set(number, place::memory_at_offset, signed_offset(code));
            return true;
        case gnu_negative_offset_extended:
            set(number, place::memory_at_offset, -unsigned_offset(code));
            return true;
        case value_offset:
            set(number, place::offset, unsigned_offset(code));
            return true;
        case value_offset_signed:
            set(number, place::offset, signed_offset(code));
            return true;
        case restore_extended:
            restore(number);
            return true;
        case undefined_register:
            set(number, place::undefined, 0);
            return true;
        case same_value:
            set(number, place::unchanged, 0);
            return true;
        case in_register:
            set(number, place::another_register, static_cast<std::int64_t>(code.unsigned_number()));
            return true;
        case at_expression:
            set(number, register_rule(place::memory_at_expression, expression(code)));
            return true;
        case value_expression:
            set(number, register_rule(place::expression, expression(code)));
            return true;
        default:
            return false;
        }
    }

    void frame_rule(std::uint8_t byte, byte_cursor& code) noexcept {
        if (byte == define_frame_expression) {
            current_.frame = register_rule(place::expression, expression(code));
            return;
        }
        if (byte == define_frame || byte == define_frame_signed || byte == define_frame_register) {
            current_.frame_register = code.unsigned_number();
        }
        std::int64_t number = current_.frame.where() == place::offset ? current_.frame.number() : 0;
        if (byte == define_frame || byte == define_frame_offset) {
            number = static_cast<std::int64_t>(code.unsigned_number());
        } else if (byte == define_frame_signed || byte == define_frame_offset_signed) {
            number = signed_offset(code);
        }
        current_.frame = register_rule(place::offset, number);
    }

    void advance(std::uint64_t units) noexcept { advance_to(location_ + units * function_.code_alignment); }
    void advance_to(address location) noexcept {
        location_ = location;
        passed_ = location > pc_;
    }

    std::int64_t unsigned_offset(byte_cursor& code) const noexcept {
        return static_cast<std::int64_t>(code.unsigned_number()) * function_.data_alignment;
    }
    std::int64_t signed_offset(byte_cursor& code) const noexcept {
        return code.signed_number() * function_.data_alignment;
    }
    static const std::uint8_t* expression(byte_cursor& code) noexcept {
        const std::uint8_t* const at = code.at();
        code.skip(code.unsigned_number());
        return at;
    }

    // A walk does not use the rules of vector registers.
    void set(std::uint64_t number, register_rule rule) noexcept {
        if (number < register_count) {
            current_.rules[number] = rule;
        }
    }
    void set(std::uint64_t number, place source, std::int64_t value) noexcept {
        set(number, register_rule(source, value));
    }
    void restore(std::uint64_t number) noexcept {
        if (number < register_count) {
            current_.rules[number] = initial_.rules[number];
        }
    }

    bool remember() noexcept {
        if (remembered_ == most_remembered) {
            return false;
        }
        states_[remembered_++] = current_;
        return true;
    }
    bool recall() noexcept {
        if (remembered_ == 0) {
            return false;
        }
        current_ = states_[--remembered_];
        return true;
    }

    const frame_description& function_;
    address pc_;
    row& current_;
    address location_;
    bool passed_ = false;
    unsigned remembered_ = 0;
    row initial_;
    std::array<row, most_remembered> states_;
};

} // namespace

bool row_at(const frame_description& function, address pc, row& result) noexcept {
    result = row{};
    result.frame = register_rule(place::offset, std::int64_t{0});
    return machine(function, pc, result).run();
}

} // namespace mallard::recorder::unwind
