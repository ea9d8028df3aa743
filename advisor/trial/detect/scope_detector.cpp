#include "trial/detect/scope_detector.hpp"

#include <link.h>

namespace mallard::trial {

bool scope_code::look_up(std::uint64_t instruction) noexcept {
    recorder::unwind::code_object object;
    if (!recorder::unwind::object_at(instruction, object) || object.map == nullptr) {
        return false;
    }
    const std::uint64_t offset = instruction - object.map->l_addr;
    recorder::unwind::frame_description function;
    if (recorder::unwind::description_at(instruction, function)) {
        function.begin -= object.map->l_addr;
        function.end -= object.map->l_addr;
    }
    for (std::size_t index = 0; index < ranges_->count; ++index) {
        const code_range& range = ranges_->all[index];
        const bool inside = range.end == 0 ? function.begin <= range.begin && range.begin < function.end
                                           : range.begin <= offset && offset < range.end;
        if (inside && is_file(object.map->l_name, range.file.data())) {
            seen_->fetch_or(1U << (index % 32), std::memory_order_relaxed);
            return true;
        }
    }
    return false;
}

void scope_code::clear() noexcept {
    for (auto& entry : places_) {
        entry.store(0, std::memory_order_relaxed);
    }
}

// Each frame is unwound by its description, so that a function with a frame pointer, or with a stack frame of varying size, is no
// exception. A word is read only where the kernel has said that it can be.
std::uint32_t scope_detector::walk(recorder::unwind::caller caller, std::uint32_t outcome,
                                   recorder::unwind::rule_table& rules, scope_rules& tree) noexcept {
    using recorder::unwind::rule;
    const auto word_at = [](std::uint64_t location) {
        return *reinterpret_cast<const std::uint64_t*>(location);
    };
    std::uint64_t return_address = caller.return_address();
    std::uint64_t stack_pointer = caller.slot + sizeof(std::uint64_t);
    std::uint64_t frame_pointer = caller.frame_base;
    stack_.begin_reading(caller.slot);
    while (outcome >= rule_row::first_node) {
        const rule unwind_rule = rules.find(return_address);
        if (unwind_rule.kind() != rule::simple) {
            return rule_row::unknown;
        }
        const std::uint64_t frame =
            (unwind_rule.by_frame_pointer() ? frame_pointer : stack_pointer) + unwind_rule.frame_offset();
        const std::uint64_t return_at = frame - unwind_rule.return_below();
        const std::uint64_t saved_at = frame - unwind_rule.frame_pointer_below();
        if (frame <= stack_pointer || !stack_.can_read(return_at)) {
            return rule_row::unknown;
        }
        if (saved_at != frame) {
            if (!stack_.can_read(saved_at)) {
                return rule_row::unknown;
            }
            frame_pointer = word_at(saved_at);
        }
        return_address = recorder::arch::code_address(word_at(return_at));
        stack_pointer = frame;
        if (return_address >> recorder::arch::address_bits != 0) {
            return rule_row::unknown;
        }
        outcome = tree.find(outcome - rule_row::first_node, return_address);
    }
    return outcome;
}

} // namespace mallard::trial
