#include "advisor/symbols/function_tree.hpp"

#include <dwarf.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace mallard::advisor {

namespace {

constexpr std::size_t deepest = 1000;
/// Inlined functions have up to some hundred ranges. Damage can give each of them a list without an end.
constexpr unsigned most_ranges_of_function = 10'000;

/// Returns: true if a function with code may stand below an entry of that kind.
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

/// The functions of a class of C or C++ stand outside of it, and classes are most of a unit.
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
    std::sort(codes_.begin(), codes_.end(), [](const code& one, const code& other) {
        return std::tuple(one.begin, other.end, one.depth) < std::tuple(other.begin, one.end, other.depth);
    });
    std::vector<std::uint32_t> open;
    for (std::uint32_t each = 0; each < codes_.size(); ++each) {
        while (!open.empty() && codes_[open.back()].end <= codes_[each].begin) {
            open.pop_back();
        }
        codes_[each].parent = open.empty() ? no_parent : open.back();
        open.push_back(each);
    }
}

void function_tree::read(Dwarf_Die unit) {
    const bool types_hold_code = has_code_in_types(unit);
    std::vector<Dwarf_Die> path(1);
    if (dwarf_child(&unit, &path[0]) != 0) {
        return;
    }
    Dwarf_Off last = 0;
    while (!path.empty()) {
        Dwarf_Die& entry = path.back();
        // Entries follow each other in the file. Damage can make an entry both child and sibling of the one before, and
        // reading all ways to it would have no end: the rest of such a unit is left out.
        const Dwarf_Off offset = dwarf_dieoffset(&entry);
        if (offset <= std::exchange(last, offset)) {
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
    for (unsigned each = 0;
         each < most_ranges_of_function && (at = dwarf_ranges(&entry, at, &base, &begin, &end)) > 0; ++each) {
        if (begin < end) {
            codes_.push_back({begin, end, entry, depth, no_parent, inlined});
        }
    }
}

std::vector<const function_tree::code*> function_tree::at(std::uint64_t address) const {
    std::vector<const code*> found;
    const auto next = std::upper_bound(codes_.begin(), codes_.end(), address,
                                       [](std::uint64_t a, const code& each) { return a < each.begin; });
    if (next == codes_.begin()) {
        return found;
    }
    for (auto each = static_cast<std::uint32_t>(next - codes_.begin() - 1); each != no_parent;
         each = codes_[each].parent) {
        if (address >= codes_[each].end) {
            continue;
        }
        found.push_back(&codes_[each]);
        if (!codes_[each].inlined) {
            break;
        }
    }
    return found;
}

} // namespace mallard::advisor
