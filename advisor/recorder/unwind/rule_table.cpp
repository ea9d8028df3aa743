#include "recorder/unwind/rule_table.hpp"

#include "recorder/code/code_objects.hpp"
#include "recorder/dwarf/expression.hpp"
#include "recorder/dwarf/row.hpp"
#include "recorder/system/readable_range.hpp"

#include <array>
#include <cstddef>

namespace mallard::recorder::unwind {

namespace {

/// Returns: true if the bytes before `key` are an instruction that calls.
///
///     e8 and 4 bytes             call to a constant distance
///     ff, operand, 0 to 5 bytes  call of a register, or of an address in memory; bits 3 to 5 of the operand are 2
bool follows_call(const std::uint8_t* key) noexcept {
    if (key[-5] == 0xe8) {
        return true;
    }
    for (std::ptrdiff_t length = 2; length <= 7; ++length) {
        if (key[-length] != 0xff) {
            continue;
        }
        const unsigned operand = key[1 - length];
        const unsigned mode = operand >> 6;
        const unsigned base = operand & 7U;
        const bool has_index = mode != 3 && base == 4;
        const bool has_distance =
            mode == 2 || (mode == 0 && (base == 5 || (has_index && (key[2 - length] & 7) == 5)));
        const std::ptrdiff_t expected = 2 + (has_index ? 1 : 0) + (has_distance ? 4 : mode == 1 ? 1 : 0);
        if ((operand >> 3 & 7U) == 2 && length == expected) {
            return true;
        }
    }
    return false;
}

/// Returns: true if `key` is in the code of a file, but no call returns to it. It was pushed onto a new stack as the return
/// address into the function that begins there: makecontext pushes the start of __start_context, Boost.Context an address in
/// make_fcontext. Code generated at run time belongs to no file and may push return addresses as well.
bool begins_stack(address key) noexcept {
    constexpr address longest_call = 7;
    code_object object;
    return object_at(key, object) && key - object.begin >= longest_call &&
           page_is_readable(page_start(key)) && page_is_readable(page_start(key - longest_call)) &&
           !follows_call(reinterpret_cast<const std::uint8_t*>(key));
}

/// Returns: true if a call returns to `key` in `__do_global_dtors_aux`, which runs the destructors of a file's static objects.
/// gcc's crtstuff.c compiles it without unwind information. It has a standard frame with rbp, so the walk can continue.
///
///     key: e8 .. .. .. ..          call deregister_tm_clones
///          c6 05 .. .. .. .. 01    movb $1, completed(%rip)
///          5d c3                   pop %rbp; ret
bool is_in_global_destructors(address key) noexcept {
    constexpr int any = -1;
    constexpr std::array pattern{0xe8, any, any, any, any, 0xc6, 0x05, any, any, any, any, 0x01, 0x5d, 0xc3};
    code_object object;
    if (!object_at(key - 1, object) || object.end - key < pattern.size() ||
        !page_is_readable(page_start(key + pattern.size() - 1))) {
        return false;
    }
    const auto* const code = reinterpret_cast<const std::uint8_t*>(key);
    for (std::size_t index = 0; index < pattern.size(); ++index) {
        if (pattern[index] != any && pattern[index] != code[index]) {
            return false;
        }
    }
    return true;
}

} // namespace

rule make_rule(address key, bool assume_frame_pointers) noexcept {
    frame_description function;
    row current;
    const bool is_described = description_at(key - 1, function);
    // The preceding function may end where one begins that was pushed onto a stack.
    if ((!is_described || function.end == key) && begins_stack(key)) {
        return rule(rule::last);
    }
    if (!is_described) {
        const bool has_frame_pointer = assume_frame_pointers || is_in_global_destructors(key);
        return has_frame_pointer ? rule::by_frame_pointer() : rule(rule::complex);
    }
    if (function.return_register != rip || !row_at(function, key - 1, current)) {
        return rule(rule::complex);
    }
    const register_rule& back = current.rules[rip];
    const register_rule& base = current.rules[rbp];
    if (back.where() == place::undefined) {
        return rule(rule::last);
    }
    const bool by_constant = current.frame.where() == place::offset &&
                             (current.frame_register == rsp || current.frame_register == rbp);
    const bool has_standard_layout = back.where() == place::memory_at_offset && back.number() == -8 &&
                                     current.rules[rsp].where() == place::unchanged && !function.signal_frame;
    const bool saved = base.where() == place::memory_at_offset && base.number() < 0;
    if (!by_constant || !has_standard_layout || !(saved || base.where() == place::unchanged)) {
        return rule(rule::complex);
    }
    return rule::encode(current.frame_register == rbp, current.frame.number(), saved ? -base.number() : 0);
}

void rule_table::clear() noexcept {
    for (bucket& entry : buckets_) {
        for (auto& word : entry) {
            word.store(0, std::memory_order_relaxed);
        }
    }
    epoch_.fetch_add(1, std::memory_order_relaxed);
}

} // namespace mallard::recorder::unwind
