#include "trial/detect/scope_rules.hpp"

#include "recorder/code/code_objects.hpp"

#include <link.h>

#include <algorithm>
#include <tuple>

namespace mallard::trial {

std::uint32_t scope_rules::look_up(std::uint32_t node, std::uint64_t instruction) noexcept {
    recorder::unwind::code_object object;
    if (!recorder::unwind::object_at(instruction, object) || object.map == nullptr) {
        return rule_row::unknown;
    }
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
            return rule_row::unknown;
        }
        if (row->outcome == rule_row::inside || row->outcome == rule_row::excluded) {
            (row->outcome == rule_row::inside ? seen_ : seen_excepted_)
                ->fetch_or(1, std::memory_order_relaxed);
        }
        return row->outcome;
    }
    return rule_row::unknown;
}

void scope_rules::clear() noexcept {
    for (auto& entry : places_) {
        entry.store(0, std::memory_order_relaxed);
    }
}

} // namespace mallard::trial
