#include "profiler/symbols/function_tree.hpp"

#include <dwarf.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace mallard::advisor {

namespace {

constexpr std::size_t deepest = 1000;
/// Inlined functions have up to some hundred ranges. A damaged file can give each of them an endless list.
constexpr unsigned most_ranges_of_function = 10'000;

/// Returns: true if entries below an entry with this tag may be functions with code.
bool may_hold_code(int tag, bool types_hold_code) noexcept {
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return true;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
        return types_hold_code;
    default:
        return false;
    }
}

/// The functions of a C or C++ class are defined outside of it, and classes are most of a unit.
bool has_code_in_types(Dwarf_Die& unit) noexcept {
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
        return false;
    default:
        return true;
    }
}

} // namespace

function_tree::function_tree(Dwarf_Die unit) {
    read(unit);
    std::sort(codes_.begin(), codes_.end(), [](const code& left, const code& right) {
        return std::tuple(left.begin, right.end, left.depth) < std::tuple(right.begin, left.end, right.depth);
    });
    std::vector<std::uint32_t> open;
    for (std::uint32_t index = 0; index < codes_.size(); ++index) {
        while (!open.empty() && codes_[open.back()].end <= codes_[index].begin) {
            open.pop_back();
        }
        codes_[index].parent = open.empty() ? no_parent : open.back();
        open.push_back(index);
    }
}

void function_tree::read(Dwarf_Die unit) {
    const bool types_hold_code = has_code_in_types(unit);
    std::vector<Dwarf_Die> path(1);
    if (dwarf_child(&unit, &path[0]) != 0) {
        return;
    }
    Dwarf_Off last_offset = 0;
    while (!path.empty()) {
        Dwarf_Die& entry = path.back();
        // Entries follow each other in the file. A damaged file can make an entry both child and sibling of the
        // previous one, and the number of paths to it grows without bound: the remainder of such a unit is skipped.
        const Dwarf_Off offset = dwarf_dieoffset(&entry);
        if (offset <= std::exchange(last_offset, offset)) {
            return;
        }
        const int tag = dwarf_tag(&entry);
        const bool inlined = tag == DW_TAG_inlined_subroutine;
        if (inlined || tag == DW_TAG_subprogram) {
            add(entry, static_cast<std::uint32_t>(path.size()), inlined);
        }
        Dwarf_Die next;
        if (path.size() < deepest && may_hold_code(tag, types_hold_code) && dwarf_child(&entry, &next) == 0) {
            path.push_back(next);
            continue;
        }
        while (!path.empty() && dwarf_siblingof(&path.back(), &next) != 0) {
            path.pop_back();
        }
        if (!path.empty()) {
            path.back() = next;
        }
    }
}

void function_tree::add(Dwarf_Die& entry, std::uint32_t depth, bool inlined) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    std::ptrdiff_t at = 0;
    for (unsigned count = 0;
         count < most_ranges_of_function && (at = dwarf_ranges(&entry, at, &base, &begin, &end)) > 0;
         ++count) {
        if (begin < end) {
            codes_.push_back({begin, end, entry, depth, no_parent, inlined});
        }
    }
}

std::vector<const function_tree::code*> function_tree::at(std::uint64_t address) const {
    std::vector<const code*> matches;
    const auto next =
        std::upper_bound(codes_.begin(), codes_.end(), address,
                         [](std::uint64_t a, const code& candidate) { return a < candidate.begin; });
    if (next == codes_.begin()) {
        return matches;
    }
    for (auto index = static_cast<std::uint32_t>(next - codes_.begin() - 1); index != no_parent;
         index = codes_[index].parent) {
        if (address >= codes_[index].end) {
            continue;
        }
        matches.push_back(&codes_[index]);
        if (!codes_[index].inlined) {
            break;
        }
    }
    return matches;
}

} // namespace mallard::advisor
