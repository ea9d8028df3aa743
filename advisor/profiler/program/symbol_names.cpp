#include "profiler/program/symbol_names.hpp"

#include "profiler/scopes/inlined_stacks.hpp"
#include "profiler/symbols/function_name.hpp"

#include <algorithm>
#include <utility>

namespace mallard::advisor {

namespace {

std::uint64_t instruction(std::uint64_t level) noexcept {
    return code_map::call_instruction(recorded_level(level));
}

} // namespace

const inlined_place* symbol_names::inlined(std::uint64_t level) {
    const unsigned depth = inlined_depth(level);
    if (depth == 0) {
        return nullptr;
    }
    const std::vector<inlined_place>& functions = map_.inlined(instruction(level));
    return depth <= functions.size() ? &functions[depth - 1] : nullptr;
}

void symbol_names::find_levels(std::uint64_t recorded, std::vector<std::uint64_t>& levels) {
    const std::vector<inlined_place>& functions = map_.inlined(instruction(recorded));
    const auto count = static_cast<unsigned>(std::min<std::size_t>(functions.size(), most_inlined));
    for (unsigned depth = 0; depth < count; ++depth) {
        // The code of a function may begin with that of one that is inlined into it.
        const inlined_place& callee = functions[depth];
        const std::vector<inlined_place>& at_begin = map_.inlined(callee.begin);
        const bool is_same = depth < at_begin.size() && at_begin[depth] == callee;
        levels.push_back(calling_level(depth, is_same ? callee.begin + 1 : recorded));
    }
    levels.push_back(inlined_level(count, recorded));
}

scope_id symbol_names::function_at(std::uint64_t level) {
    const inlined_place* const function = inlined(level);
    return function == nullptr ? map_.function_at(instruction(level)) : function->function;
}

function_info symbol_names::function(scope_id id) {
    const mallard::advisor::function& info = map_.at(id);
    return {info.name, info.short_name, info.object, info.file, info.line};
}

std::string symbol_names::short_name(scope_id id) {
    return map_.short_name(id);
}

std::vector<named_place> symbol_names::places(std::uint64_t level) {
    std::vector<place> all = map_.places(instruction(level));
    const std::vector<inlined_place>& functions = map_.inlined(instruction(level));
    // From the level's function to the next one inside that has a level of its own.
    const unsigned depth = inlined_depth(level);
    const std::size_t outermost = inlined(level) == nullptr ? 0 : functions[depth - 1].index;
    const std::size_t inside =
        calls_inlined(level) && depth < functions.size() ? functions[depth].index : all.size();
    std::vector<named_place> places;
    for (std::size_t at = 0; at < all.size(); ++at) {
        const std::size_t index = all.size() - 1 - at;
        if (index < outermost || index >= inside) {
            continue;
        }
        const auto scope = std::ranges::find(functions, index, &inlined_place::index);
        place& function = all[at];
        places.push_back({std::move(function.name), std::move(function.short_name), std::move(function.file),
                          function.line, function.inlined,
                          scope == functions.end() ? no_scope : scope->function});
    }
    return places;
}

std::optional<place_in_file> symbol_names::in_file(std::uint64_t level) {
    const std::uint64_t address = instruction(level);
    const std::size_t file = map_.file_at(address);
    if (file == files_.size()) {
        return std::nullopt;
    }
    return place_in_file{files_[file].path, address - files_[file].load_address};
}

std::vector<code_in_file> symbol_names::inlined_code(std::uint64_t level) {
    std::vector<code_in_file> code;
    if (const inlined_place* const function = inlined(level)) {
        const trace::code_file& file = files_[map_.file_at(instruction(level))];
        for (const code_span& range : map_.inlined_code(instruction(level), function->index)) {
            code.push_back({range.begin - file.load_address, range.end - file.load_address});
        }
    }
    return code;
}

bool symbol_names::is_library(scope_id id) {
    return map_.is_allocator_layer(id) || map_.is_standard_library(id);
}

bool symbol_names::is_library_name(std::string_view short_name) {
    return names_allocator_layer(short_name) || names_standard_library(short_name);
}

} // namespace mallard::advisor
