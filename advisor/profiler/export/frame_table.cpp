#include "profiler/export/frame_table.hpp"

#include "trace/printable.hpp"

#include <utility>

namespace mallard::advisor {

namespace {

constexpr std::uint64_t first_end_key = std::uint64_t{1} << 48;
constexpr std::uint64_t no_stack_key = first_end_key + trace::stack_ends;

const char* end_text(trace::stack_end end) noexcept {
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

/// A level that does not stand for code.
frame_table::level placeholder(const char* name, std::size_t files) {
    frame_table::level level;
    level.file = files;
    level.places.push_back({name, name, {}, 0, false});
    return level;
}

} // namespace

frame_table::frame_table(const trace::context_tree& contexts, code_map& code, std::size_t files)
    : contexts_(contexts), code_(code), files_(files) {}

std::uint32_t frame_table::add(std::uint64_t key, level entry) {
    const auto number = static_cast<std::uint32_t>(levels_.size());
    by_address_.emplace(key, number);
    levels_.push_back(std::move(entry));
    return number;
}

std::optional<std::uint32_t> frame_table::find_level(trace::context_id context) {
    const bool is_root = context < trace::stack_ends;
    if (is_root && end_text(static_cast<trace::stack_end>(context)) == nullptr) {
        return std::nullopt;
    }
    const std::uint64_t key = is_root ? first_end_key + context : contexts_.address(context);
    const auto known = by_address_.find(key);
    if (known != by_address_.end()) {
        return known->second;
    }
    if (is_root) {
        return add(key, placeholder(end_text(static_cast<trace::stack_end>(context)), files_));
    }
    if (key == trace::context_tree::omitted_levels) {
        return add(key, placeholder("[levels left out]", files_));
    }
    level entry;
    entry.instruction = code_map::call_instruction(key);
    entry.file = code_.file_at(entry.instruction);
    if (entry.file != files_) {
        entry.object = trace::printable(code_.object(entry.file).name);
    }
    entry.places = code_.places(entry.instruction);
    for (place& function : entry.places) {
        for (std::string* const text : {&function.name, &function.short_name, &function.file}) {
            *text = trace::printable(*text);
        }
    }
    return add(key, std::move(entry));
}

std::uint32_t frame_table::no_stack() {
    const auto known = by_address_.find(no_stack_key);
    return known != by_address_.end() ? known->second : add(no_stack_key, placeholder("[no stack]", files_));
}

} // namespace mallard::advisor
