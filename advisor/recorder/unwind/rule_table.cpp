#include "recorder/unwind/rule_table.hpp"

#include "recorder/code/code_objects.hpp"
#include "recorder/dwarf/expression.hpp"
#include "recorder/dwarf/row.hpp"
#include "recorder/system/readable_range.hpp"
#include "recorder/unwind/step.hpp"

#include <array>
#include <cstddef>

namespace mallard::recorder::unwind {

namespace {

/// Returns: true if `key` is in the code of a file, but no call returns to it. It was pushed onto a new stack as the return
/// address into the function that begins there: makecontext pushes the start of __start_context, Boost.Context an address in
/// make_fcontext. Code generated at run time belongs to no file and may push return addresses as well.
bool begins_stack(address key) noexcept {
    code_object object;
    return object_at(key, object) && key - object.begin >= arch::longest_call &&
           page_is_readable(page_start(key)) && page_is_readable(page_start(key - arch::longest_call)) &&
           !arch::follows_call(reinterpret_cast<const std::uint8_t*>(key));
}

/// Returns: true if a call returns to `key` in `__do_global_dtors_aux`, where that has no description.
bool is_in_global_destructors(address key) noexcept {
    constexpr auto& pattern = arch::undescribed_destructors;
    code_object object;
    if (pattern.empty() || !object_at(key - 1, object) || object.end - key < pattern.size() ||
        !page_is_readable(page_start(key + pattern.size() - 1))) {
        return false;
    }
    const auto* const code = reinterpret_cast<const std::uint8_t*>(key);
    for (std::size_t index = 0; index < pattern.size(); ++index) {
        if (pattern[index] != arch::any_byte && pattern[index] != code[index]) {
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
    if ((!is_described || function.end == key) && !returns_from_signal(key) && begins_stack(key)) {
        return rule(rule::last);
    }
    if (!is_described) {
        const bool has_frame_pointer = assume_frame_pointers || is_in_global_destructors(key);
        return has_frame_pointer ? rule::standard_frame() : rule(rule::complex);
    }
    if (function.return_register != arch::return_column || !row_at(function, key - 1, current)) {
        return rule(rule::complex);
    }
    const register_rule& back = current.rules[arch::return_column];
    const register_rule& base = current.rules[arch::frame_pointer];
    if (back.where() == place::undefined) {
        return rule(rule::last);
    }
    const bool by_constant =
        current.frame.where() == place::offset &&
        (current.frame_register == arch::stack_pointer || current.frame_register == arch::frame_pointer);
    const bool has_standard_layout = back.where() == place::memory_at_offset && back.number() < 0 &&
                                     current.rules[arch::stack_pointer].where() == place::unchanged &&
                                     !function.signal_frame;
    const bool saved = base.where() == place::memory_at_offset && base.number() < 0;
    if (!by_constant || !has_standard_layout || !(saved || base.where() == place::unchanged)) {
        return rule(rule::complex);
    }
    return rule::encode(current.frame_register == arch::frame_pointer, current.frame.number(),
                        saved ? -base.number() : 0, -back.number());
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
