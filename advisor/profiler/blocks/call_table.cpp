#include "profiler/blocks/call_table.hpp"

namespace mallard::advisor {

namespace {

std::size_t first_choice(call_id call, std::uint32_t size_class, std::size_t places) noexcept {
    const std::uint64_t key = std::uint64_t{call} << 16 | size_class;
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >> 32) & (places - 1);
}

} // namespace

void call_table::count_class(call_id call, std::uint32_t size_class, std::uint64_t bytes) {
    if (classes_.size() * 2 >= places_.size()) {
        grow();
    }
    std::size_t at = first_choice(call, size_class, places_.size());
    while (places_[at] != 0) {
        class_totals& entry = classes_[places_[at] - 1];
        if (entry.call == call && entry.size_class == size_class) {
            ++entry.allocations;
            entry.bytes += bytes;
            return;
        }
        at = (at + 1) & (places_.size() - 1);
    }
    classes_.push_back({call, size_class, 1, bytes});
    places_[at] = static_cast<std::uint32_t>(classes_.size());
}

void call_table::grow() {
    places_.assign(places_.empty() ? 1024 : places_.size() * 2, 0);
    for (std::size_t index = 0; index < classes_.size(); ++index) {
        std::size_t at = first_choice(classes_[index].call, classes_[index].size_class, places_.size());
        while (places_[at] != 0) {
            at = (at + 1) & (places_.size() - 1);
        }
        places_[at] = static_cast<std::uint32_t>(index + 1);
    }
}

} // namespace mallard::advisor
