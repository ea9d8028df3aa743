#include "profiler/program/symbol_names.hpp"

#include "profiler/symbols/function_name.hpp"

namespace mallard::advisor {

scope_id symbol_names::function_at(std::uint64_t level) {
    return map_.function_at(code_map::call_instruction(level));
}

function_info symbol_names::function(scope_id id) {
    const mallard::advisor::function& info = map_.at(id);
    return {info.name, info.short_name, info.object, info.file, info.line};
}

std::string symbol_names::short_name(scope_id id) {
    return map_.short_name(id);
}

std::vector<named_place> symbol_names::places(std::uint64_t level) {
    std::vector<named_place> places;
    for (place& function : map_.places(code_map::call_instruction(level))) {
        places.push_back({std::move(function.name), std::move(function.short_name), std::move(function.file),
                          function.line, function.inlined});
    }
    return places;
}

std::optional<place_in_file> symbol_names::in_file(std::uint64_t level) {
    const std::uint64_t instruction = code_map::call_instruction(level);
    const std::size_t file = map_.file_at(instruction);
    if (file == files_.size()) {
        return std::nullopt;
    }
    return place_in_file{files_[file].path, instruction - files_[file].load_address};
}

bool symbol_names::is_library(scope_id id) {
    return map_.is_allocator_layer(id) || map_.is_standard_library(id);
}

bool symbol_names::is_library_name(std::string_view short_name) {
    return names_allocator_layer(short_name) || names_standard_library(short_name);
}

} // namespace mallard::advisor
