#include "trial/detect/scope_rules.hpp"

#include "recorder/code/code_objects.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <tuple>

namespace mallard::trial {

namespace {

/// What libc allocates for itself where no recorded call did, such as the table of exit handlers that has to grow, outlives the
/// scope: served, it would keep a monotonic allocator from ever being rewound.
bool is_libc(const recorder::unwind::code_object& object) noexcept {
    const auto function = reinterpret_cast<std::uint64_t>(&::exit);
    return object.begin <= function && function < object.end;
}

} // namespace

std::uint32_t scope_rules::look_up(std::uint32_t node, std::uint64_t instruction) noexcept {
    recorder::unwind::code_object object;
    if (!recorder::unwind::object_at(instruction, object) || object.map == nullptr) {
        return rule_row::unknown;
    }
    const std::uint32_t unrecorded = node == 0 && is_libc(object) ? rule_row::outside : rule_row::unknown;
    const std::uint64_t offset = instruction - object.map->l_addr;
    const rule_row* const end = rows_->all.data() + rows_->count;
    for (std::uint32_t file = 0; file < rows_->file_count; ++file) {
        if (!is_file(object.map->l_name, rows_->files[file].data())) {
            continue;
        }
        const rule_row* const row =
            std::lower_bound(rows_->all.data(), end, std::tuple(file, node, offset),
                             [](const rule_row& entry, const auto& key) {
                                 return std::tuple(entry.file, entry.node, entry.offset) < key;
                             });
        if (row == end || row->file != file || row->node != node || row->offset != offset) {
            return unrecorded;
        }
        if (row->outcome == rule_row::inside || row->outcome == rule_row::excluded) {
            (row->outcome == rule_row::inside ? seen_ : seen_excepted_)
                ->fetch_or(1, std::memory_order_relaxed);
        }
        return row->outcome;
    }
    return unrecorded;
}

void scope_rules::clear() noexcept {
    for (auto& entry : places_) {
        entry.store(0, std::memory_order_relaxed);
    }
}

} // namespace mallard::trial
