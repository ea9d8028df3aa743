#include "advisor/symbols/source_lines.hpp"

#include "advisor/symbols/function_tree.hpp"

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace mallard::advisor {

namespace {

/// A compilation unit. `entry` has the lines; the functions are in the same place, or in a file of their own (-gsplit-dwarf).
struct unit {
    Dwarf_Die entry{};
    std::unique_ptr<function_tree> functions;

    const function_tree& tree() {
        if (functions == nullptr) {
            Dwarf_Die split{};
            const bool is_split =
                dwarf_cu_info(entry.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
                dwarf_tag(&split) != DW_TAG_invalid && dwarf_tag(&split) == DW_TAG_compile_unit;
            functions = std::make_unique<function_tree>(is_split ? split : entry);
        }
        return *functions;
    }
};

struct unit_range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t unit = 0;
};

/// Of all units. Damage can make each unit's list as long as the section.
constexpr std::size_t most_ranges = 10'000'000;

std::string text_of(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
}

std::string symbol_of(Dwarf_Die entry) {
    for (const unsigned name : {unsigned{DW_AT_linkage_name}, unsigned{DW_AT_MIPS_linkage_name}}) {
        Dwarf_Attribute attribute;
        if (dwarf_attr_integrate(&entry, name, &attribute) != nullptr) {
            if (const char* const symbol = dwarf_formstring(&attribute)) {
                return symbol;
            }
        }
    }
    return text_of(dwarf_diename(&entry));
}

/// Returns: the entry that `attribute` refers to, or the entry itself.
Dwarf_Die referred(Dwarf_Die entry, unsigned attribute) {
    Dwarf_Attribute reference;
    Dwarf_Die target;
    const bool is_there = dwarf_attr_integrate(&entry, attribute, &reference) != nullptr &&
                          dwarf_formref_die(&reference, &target) != nullptr;
    return is_there ? target : entry;
}

/// Returns: the name behind those of its namespaces and classes. Functions without a linker's name are local to a file.
std::string qualified(Dwarf_Die entry, std::string name) {
    Dwarf_Die declared = referred(referred(entry, DW_AT_abstract_origin), DW_AT_specification);
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes_die(&declared, &scopes);
    for (int each = 1; each < count; ++each) {
        const int tag = dwarf_tag(&scopes[each]);
        if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type) {
            const char* const around = dwarf_diename(&scopes[each]);
            name.insert(0, std::string(around == nullptr ? "(anonymous namespace)" : around) + "::");
        }
    }
    std::free(scopes);
    return name;
}

std::optional<Dwarf_Word> number_of(Dwarf_Die entry, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_attr(&entry, name, &attribute) == nullptr || dwarf_formudata(&attribute, &number) != 0) {
        return std::nullopt;
    }
    return number;
}

/// Sets where an inlined function was called from.
void set_call(Dwarf_Die entry, source_place& into) {
    into.line = static_cast<unsigned>(number_of(entry, DW_AT_call_line).value_or(0));
    const std::optional<Dwarf_Word> file = number_of(entry, DW_AT_call_file);
    Dwarf_Die unit_entry;
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    if (file && dwarf_diecu(&entry, &unit_entry, nullptr, nullptr) != nullptr &&
        dwarf_getsrcfiles(&unit_entry, &files, &count) == 0 && *file < count) {
        into.file = text_of(dwarf_filesrc(files, *file, nullptr, nullptr));
    }
}

} // namespace

struct source_lines::state {
    Dwfl_Module* module = nullptr;
    Dwarf* dwarf = nullptr;
    Dwarf_Addr bias = 0;
    bool asked = false;
    std::vector<unit> units;
    std::vector<unit_range> ranges; // by begin

    bool open() {
        if (!asked) {
            asked = true;
            dwarf = dwfl_module_getdwarf(module, &bias);
            if (dwarf != nullptr) {
                read_units();
            }
        }
        return dwarf != nullptr;
    }

    void read_units() {
        std::uint8_t type = 0;
        Dwarf_CU* each = nullptr;
        Dwarf_Die entry;
        while (dwarf_get_units(dwarf, each, &each, nullptr, &type, &entry, nullptr) == 0) {
            if (type != DW_UT_compile && type != DW_UT_skeleton) {
                continue;
            }
            Dwarf_Addr base = 0;
            Dwarf_Addr begin = 0;
            Dwarf_Addr end = 0;
            std::ptrdiff_t at = 0;
            while (ranges.size() < most_ranges && (at = dwarf_ranges(&entry, at, &base, &begin, &end)) > 0) {
                if (begin < end) {
                    ranges.push_back({begin, end, static_cast<std::uint32_t>(units.size())});
                }
            }
            units.push_back({entry, nullptr});
        }
        std::sort(ranges.begin(), ranges.end(),
                  [](const unit_range& one, const unit_range& other) { return one.begin < other.begin; });
    }

    unit* unit_at(std::uint64_t address) {
        const auto next =
            std::upper_bound(ranges.begin(), ranges.end(), address,
                             [](std::uint64_t a, const unit_range& each) { return a < each.begin; });
        if (next == ranges.begin() || address >= (next - 1)->end) {
            return nullptr;
        }
        return &units[(next - 1)->unit];
    }
};

source_lines::source_lines(Dwfl_Module* module) : state_(std::make_unique<state>()) {
    state_->module = module;
}

source_lines::~source_lines() = default;

bool source_lines::are_there() {
    return state_->open();
}

std::vector<source_place> source_lines::at(std::uint64_t address) {
    std::vector<source_place> places;
    if (!state_->open()) {
        return places;
    }
    const std::uint64_t in_dwarf = address - state_->bias;
    unit* const found = state_->unit_at(in_dwarf);
    if (found == nullptr) {
        return places;
    }
    source_place here;
    if (Dwarf_Line* const line = dwarf_getsrc_die(&found->entry, in_dwarf)) {
        int number = 0;
        here.file = text_of(dwarf_linesrc(line, nullptr, nullptr));
        here.line = dwarf_lineno(line, &number) == 0 ? static_cast<unsigned>(number) : 0;
    }
    for (const function_tree::code* const code : found->tree().at(in_dwarf)) {
        here.symbol = symbol_of(code->entry);
        here.inlined = code->inlined;
        places.push_back(here);
        here = {};
        if (code->inlined) {
            set_call(code->entry, here);
        }
    }
    // Code without a function: assembly, or what the compiler left out.
    if (places.empty() || places.back().inlined) {
        places.push_back(here);
    }
    return places;
}

source_place source_lines::declaration_of(std::uint64_t address) {
    if (!state_->open()) {
        return {};
    }
    const std::uint64_t in_dwarf = address - state_->bias;
    unit* const found = state_->unit_at(in_dwarf);
    if (found == nullptr) {
        return {};
    }
    for (const function_tree::code* const code : found->tree().at(in_dwarf)) {
        if (!code->inlined) {
            source_place made;
            Dwarf_Die entry = code->entry;
            int number = 0;
            made.symbol = symbol_of(entry);
            made.file = text_of(dwarf_decl_file(&entry));
            made.line = dwarf_decl_line(&entry, &number) == 0 ? static_cast<unsigned>(number) : 0;
            return made;
        }
    }
    return {};
}

std::set<std::string> source_lines::inlined_containing(std::string_view text) {
    std::set<std::string> found;
    if (!state_->open()) {
        return found;
    }
    for (unit& each : state_->units) {
        for (const function_tree::code& code : each.tree().codes()) {
            if (!code.inlined) {
                continue;
            }
            if (std::string symbol = symbol_of(code.entry); symbol.find(text) != std::string::npos) {
                found.insert(symbol.starts_with("_Z") ? symbol : qualified(code.entry, symbol));
            }
        }
    }
    return found;
}

} // namespace mallard::advisor
