#include "trial/detect/scope_detector.hpp"

#include <link.h>

#include <cstring>

namespace mallard::trial {

namespace {

/// Returns: true if `path` is `file`, or ends with a slash and `file`. The program has an empty path.
bool is_file(const char* path, const char* file) noexcept {
    const std::size_t length = std::strlen(path);
    const std::size_t end = std::strlen(file);
    if (end == 0 || length < end) {
        return length == end;
    }
    return std::strcmp(path + length - end, file) == 0 && (length == end || path[length - end - 1] == '/');
}

} // namespace

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

} // namespace mallard::trial
