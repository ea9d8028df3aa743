#include "recorder/dwarf/expression.hpp"

namespace mallard::recorder::unwind {

namespace {

enum operation : std::uint8_t {
    op_address = 0x03,
    op_dereference = 0x06,
    op_constant_1u = 0x08,
    op_constant_1s = 0x09,
    op_constant_2u = 0x0a,
    op_constant_2s = 0x0b,
    op_constant_4u = 0x0c,
    op_constant_4s = 0x0d,
    op_constant_8u = 0x0e,
    op_constant_8s = 0x0f,
    op_constant_u = 0x10,
    op_constant_s = 0x11,
    op_duplicate = 0x12,
    op_drop = 0x13,
    op_over = 0x14,
    op_swap = 0x16,
    op_and = 0x1a,
    op_minus = 0x1c,
    op_times = 0x1e,
    op_or = 0x21,
    op_plus = 0x22,
    op_plus_constant = 0x23,
    op_shift_left = 0x24,
    op_shift_right = 0x25,
    op_equal = 0x29,
    op_greater_or_equal = 0x2a,
    op_greater = 0x2b,
    op_less_or_equal = 0x2c,
    op_less = 0x2d,
    op_not_equal = 0x2e,
    op_literal_0 = 0x30,
    op_literal_31 = 0x4f,
    op_register_0 = 0x70,
    op_register_31 = 0x8f,
};

constexpr unsigned stack_words = 16;

class evaluator {
public:
    evaluator(const registers& frame, readable_range& readable, words_read& read) noexcept
        : frame_(frame), readable_(readable), read_(read) {}

    void push(address value) noexcept {
        if (depth_ == stack_words) {
            failed_ = true;
        } else {
            stack_[depth_++] = value;
        }
    }

    bool run(byte_cursor code, address& result) noexcept {
        while (!code.done() && !failed_) {
            step(code);
        }
        if (failed_ || code.failed() || depth_ == 0) {
            return false;
        }
        result = stack_[depth_ - 1];
        return true;
    }

private:
    address pop() noexcept {
        if (depth_ == 0) {
            failed_ = true;
            return 0;
        }
        return stack_[--depth_];
    }

    void step(byte_cursor& code) noexcept {
        const auto byte = code.fixed<std::uint8_t>();
        if (byte >= op_literal_0 && byte <= op_literal_31) {
            push(byte - op_literal_0);
        } else if (byte >= op_register_0 && byte <= op_register_31) {
            push_register(byte - op_register_0, code.signed_number());
        } else if (byte >= op_constant_1u && byte <= op_constant_s) {
            push_constant(byte, code);
        } else if (byte == op_address) {
            push(code.fixed<address>());
        } else if (byte == op_plus_constant) {
            push(pop() + code.unsigned_number());
        } else if (byte == op_dereference) {
            dereference();
        } else if (byte <= op_swap) {
            arrange(byte);
        } else {
            combine(byte);
        }
    }

    void push_register(unsigned number, std::int64_t offset) noexcept {
        if (!frame_.knows(number)) {
            failed_ = true;
            return;
        }
        if (number != arch::stack_pointer && number != arch::frame_pointer) {
            read_.incomplete = true;
        }
        push(frame_.value[number] + static_cast<address>(offset));
    }

    void push_constant(std::uint8_t byte, byte_cursor& code) noexcept {
        switch (byte) {
        case op_constant_1u:
            push(code.fixed<std::uint8_t>());
            break;
        case op_constant_1s:
            push(signed_value(code.fixed<std::int8_t>()));
            break;
        case op_constant_2u:
            push(code.fixed<std::uint16_t>());
            break;
        case op_constant_2s:
            push(signed_value(code.fixed<std::int16_t>()));
            break;
        case op_constant_4u:
            push(code.fixed<std::uint32_t>());
            break;
        case op_constant_4s:
            push(signed_value(code.fixed<std::int32_t>()));
            break;
        case op_constant_8u:
        case op_constant_8s:
            push(code.fixed<std::uint64_t>());
            break;
        case op_constant_u:
            push(code.unsigned_number());
            break;
        default:
            push(signed_value(code.signed_number()));
            break;
        }
    }
    static address signed_value(std::int64_t value) noexcept { return static_cast<address>(value); }

    void dereference() noexcept {
        const address at = pop();
        if (!readable_.holds(at)) {
            failed_ = true;
            return;
        }
        const address value = *reinterpret_cast<const address*>(at);
        read_.add(at, value);
        push(value);
    }

    void arrange(std::uint8_t byte) noexcept {
        const address top = pop();
        switch (byte) {
        case op_duplicate:
            push(top);
            push(top);
            break;
        case op_drop:
            break;
        case op_over: {
            const address below = pop();
            push(below);
            push(top);
            push(below);
            break;
        }
        case op_swap: {
            const address below = pop();
            push(top);
            push(below);
            break;
        }
        default:
            failed_ = true;
        }
    }

    void combine(std::uint8_t byte) noexcept {
        const address right = pop();
        const address left = pop();
        const auto signed_left = static_cast<std::int64_t>(left);
        const auto signed_right = static_cast<std::int64_t>(right);
        switch (byte) {
        case op_and:
            push(left & right);
            break;
        case op_or:
            push(left | right);
            break;
        case op_minus:
            push(left - right);
            break;
        case op_plus:
            push(left + right);
            break;
        case op_times:
            push(left * right);
            break;
        case op_shift_left:
            push(right < 64 ? left << right : 0);
            break;
        case op_shift_right:
            push(right < 64 ? left >> right : 0);
            break;
        case op_equal:
            push(left == right ? 1 : 0);
            break;
        case op_not_equal:
            push(left != right ? 1 : 0);
            break;
        case op_greater_or_equal:
            push(signed_left >= signed_right ? 1 : 0);
            break;
        case op_greater:
            push(signed_left > signed_right ? 1 : 0);
            break;
        case op_less_or_equal:
            push(signed_left <= signed_right ? 1 : 0);
            break;
        case op_less:
            push(signed_left < signed_right ? 1 : 0);
            break;
        default:
            failed_ = true;
        }
    }

    const registers& frame_;
    readable_range& readable_;
    words_read& read_;
    std::array<address, stack_words> stack_{};
    unsigned depth_ = 0;
    bool failed_ = false;
};

} // namespace

bool evaluate(const std::uint8_t* length_and_code, const registers& frame, bool has_first, address first,
              readable_range& readable, words_read& read, address& result) noexcept {
    byte_cursor length(length_and_code, length_and_code + 16);
    const std::uint64_t bytes = length.unsigned_number();
    evaluator machine(frame, readable, read);
    if (has_first) {
        machine.push(first);
    }
    return machine.run({length.at(), length.at() + bytes}, result);
}

} // namespace mallard::recorder::unwind
