#include "advisor/export/frame_table.hpp"

#include "advisor/export/printable.hpp"

#include <utility>

namespace mallard::advisor {

namespace {

constexpr std::uint64_t first_end_key = std::uint64_t{1} << 48;
constexpr std::uint64_t no_stack_key = first_end_key + trace::stack_ends;

const char* text_of(trace::stack_end end) noexcept {
    switch (end) {
    case trace::stack_end::unknown_code:
        return "[outer calls unknown: code without a description]";
    case trace::stack_end::unreadable:
        return "[outer calls unknown: stack not readable]";
    case trace::stack_end::too_deep:
        return "[outer calls unknown: stack too deep]";
    default:
        return nullptr;
    }
}

/// A level that stands for something else than code.
frame_table::level named(const char* name, std::size_t files) {
    frame_table::level made;
    made.file = files;
    made.places.push_back({name, name, {}, 0, false});
    return made;
}

} // namespace

frame_table::frame_table(const trace::context_tree& contexts, code_map& code, std::size_t files)
    : contexts_(contexts), code_(code), files_(files) {}

std::uint32_t frame_table::add(std::uint64_t key, level made) {
    const auto number = static_cast<std::uint32_t>(levels_.size());
    by_address_.emplace(key, number);
    levels_.push_back(std::move(made));
    return number;
}

std::optional<std::uint32_t> frame_table::level_of(trace::context_id context) {
    const bool is_root = context < trace::stack_ends;
    if (is_root && text_of(static_cast<trace::stack_end>(context)) == nullptr) {
        return std::nullopt;
    }
    const std::uint64_t key = is_root ? first_end_key + context : contexts_[context].address;
    const auto known = by_address_.find(key);
    if (known != by_address_.end()) {
        return known->second;
    }
    if (is_root) {
        return add(key, named(text_of(static_cast<trace::stack_end>(context)), files_));
    }
    if (key == trace::context_tree::omitted_levels) {
        return add(key, named("[levels left out]", files_));
    }
    level made;
    made.instruction = code_map::instruction_of(key);
    made.file = code_.file_at(made.instruction);
    if (made.file != files_) {
        made.object = printable(code_.object(made.file).name);
    }
    made.places = code_.places(made.instruction);
    for (place& each : made.places) {
        for (std::string* const text : {&each.name, &each.short_name, &each.file}) {
            *text = printable(*text);
        }
    }
    return add(key, std::move(made));
}

std::uint32_t frame_table::no_stack() {
    const auto known = by_address_.find(no_stack_key);
    return known != by_address_.end() ? known->second : add(no_stack_key, named("[no stack]", files_));
}

std::vector<bool> contexts_to_show(const trace::context_tree& contexts, const std::vector<bool>& allocated) {
    std::vector<bool> shown = allocated;
    for (std::size_t each = contexts.size(); each-- > trace::stack_ends;) {
        if (shown[each]) {
            shown[contexts[static_cast<trace::context_id>(each)].parent] = true;
        }
    }
    return shown;
}

} // namespace mallard::advisor
