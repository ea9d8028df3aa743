#include "advisor/profile/symbol_names.hpp"

#include "advisor/symbols/layers.hpp"

namespace mallard::advisor {

scope_id symbol_names::function_at(std::uint64_t level) {
    return map_.function_at(code_map::instruction_of(level));
}

named_function symbol_names::function(scope_id which) {
    const mallard::advisor::function& found = map_.at(which);
    return {found.name, found.short_name, found.object, found.file, found.line};
}

std::string symbol_names::short_name(scope_id which) {
    return map_.short_name(which);
}

std::vector<named_place> symbol_names::places(std::uint64_t level) {
    std::vector<named_place> found;
    for (place& each : map_.places(code_map::instruction_of(level))) {
        found.push_back({std::move(each.name), std::move(each.short_name), std::move(each.file), each.line,
                         each.inlined});
    }
    return found;
}

std::optional<place_in_file> symbol_names::in_file(std::uint64_t level) {
    const std::uint64_t instruction = code_map::instruction_of(level);
    const std::size_t file = map_.file_at(instruction);
    if (file == files_.size()) {
        return std::nullopt;
    }
    return place_in_file{files_[file].path, instruction - files_[file].load_address};
}

bool symbol_names::is_library(scope_id which) {
    return map_.is_allocator_layer(which) || map_.is_standard_library(which);
}

bool symbol_names::is_library_name(std::string_view short_name) {
    return names_allocator_layer(short_name) || names_standard_library(short_name);
}

} // namespace mallard::advisor
