#include "trace/chunk/code_places.hpp"

#include <algorithm>
#include <ranges>

namespace mallard::trace {

namespace {

bool overlap(const code_file& first, const code_file& second) noexcept {
    return first.begin < second.end && second.begin < first.end;
}

bool are_equal(const code_file& first, const code_file& second) noexcept {
    return first.begin == second.begin && first.end == second.end &&
           first.load_address == second.load_address && first.build_id == second.build_id &&
           first.path == second.path;
}

} // namespace

void code_places::add(code_file& file) {
    load added{file};
    const auto known =
        std::ranges::find_if(loads_, [&](const load& other) { return are_equal(other.file, file); });
    if (known != loads_.end()) {
        added.moved_by = known->moved_by;
    }
    bool is_shared = false;
    for (const load& other : loads_) {
        if (overlap(other.file, file) && !are_equal(other.file, file)) {
            if (!is_shared && known == loads_.end()) {
                added.moved_by = move(file);
            }
            is_shared = true;
            if (std::ranges::none_of(shared_,
                                     [&](const load& entry) { return are_equal(entry.file, other.file); })) {
                share(other);
            }
        }
    }
    if (is_shared) {
        share(added);
    }
    if (known == loads_.end()) {
        loads_.push_back(added);
    }
    file.begin += added.moved_by;
    file.end += added.moved_by;
    file.load_address += added.moved_by;
}

/// Returns: the distance to free addresses; 0 if there are none.
std::uint64_t code_places::move(const code_file& file) noexcept {
    const std::uint64_t bytes = file.end - file.begin;
    if (bytes >= end_of_free - next_free_) {
        return 0;
    }
    const std::uint64_t distance = next_free_ - file.begin;
    next_free_ += bytes;
    return distance;
}

void code_places::share(const load& added) {
    const auto later = std::ranges::upper_bound(shared_, added.file.first_ticks, {},
                                                [](const load& entry) { return entry.file.first_ticks; });
    shared_.insert(later, added);
    shared_begin_ = std::min(shared_begin_, added.file.begin);
    shared_end_ = std::max(shared_end_, added.file.end);
}

std::uint64_t code_places::find_shared(std::uint64_t level, std::uint64_t ticks) const noexcept {
    const bool is_call = (level & interrupted_level) == 0;
    const std::uint64_t instruction = is_call ? level - 1 : level & ~interrupted_level;
    for (const load& entry : shared_ | std::views::reverse) {
        if (entry.file.begin <= instruction && instruction < entry.file.end &&
            entry.file.first_ticks <= ticks) {
            return level + entry.moved_by;
        }
    }
    return level;
}

} // namespace mallard::trace
