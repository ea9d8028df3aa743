#include "profiler/symbols/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace mallard::advisor {

namespace {

/// The functions of one compilation unit by address, with the functions that are inlined into them.
///
/// Data model: a `code` for each address range of a function or an inlined function, sorted by begin, outer ones
/// first. Each refers to the enclosing one.
class function_tree {
public:
    struct code {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        Dwarf_Off entry = 0;
        std::uint64_t entry_begin = 0; ///< of all ranges of the entry
        std::uint32_t parent = no_parent;
        std::uint32_t depth : 31 = 0;
        std::uint32_t inlined : 1 = 0;
    };

    /// Effects: reads the functions below `unit`.
    explicit function_tree(Dwarf_Die unit);

    /// Returns: the codes at the address, from the innermost one to the compiled function.
    [[nodiscard]] std::vector<const code*> at(std::uint64_t address) const;

    /// Returns: the entry in the DWARF. Offsets are stored, because entries would be half of a large program's tree.
    [[nodiscard]] Dwarf_Die entry(const code& function) const noexcept {
        Dwarf_Die entry{};
        (void)dwarf_offdie(dwarf_, function.entry, &entry);
        return entry;
    }

    /// Returns: the inlined functions at the address, from the outermost one to the innermost.
    [[nodiscard]] std::vector<const code*> inlined_at(std::uint64_t address) const {
        std::vector<const code*> matches = at(address);
        std::erase_if(matches, [](const code* match) { return match->inlined == 0; });
        std::ranges::reverse(matches);
        return matches;
    }

    [[nodiscard]] const std::vector<code>& codes() const noexcept { return codes_; }

private:
    static constexpr std::uint32_t no_parent = ~std::uint32_t{0};

    void read(Dwarf_Die unit);
    void add(Dwarf_Die& entry, std::uint32_t depth, bool inlined);

    Dwarf* dwarf_;
    std::vector<code> codes_;
};

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

function_tree::function_tree(Dwarf_Die unit) : dwarf_(dwarf_cu_getdwarf(unit.cu)) {
    read(unit);
    std::ranges::sort(codes_, [](const code& left, const code& right) {
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
    const std::size_t first = codes_.size();
    std::uint64_t entry_begin = ~std::uint64_t{0};
    for (unsigned count = 0;
         count < most_ranges_of_function && (at = dwarf_ranges(&entry, at, &base, &begin, &end)) > 0;
         ++count) {
        if (begin < end) {
            codes_.push_back({begin, end, dwarf_dieoffset(&entry), begin, no_parent, depth & 0x7fff'ffffU,
                              static_cast<std::uint32_t>(inlined)});
            entry_begin = std::min<std::uint64_t>(entry_begin, begin);
        }
    }
    for (code& range : std::span(codes_).subspan(first)) {
        range.entry_begin = entry_begin;
    }
}

std::vector<const function_tree::code*> function_tree::at(std::uint64_t address) const {
    std::vector<const code*> matches;
    const auto next = std::ranges::upper_bound(codes_, address, {}, &code::begin);
    if (next == codes_.begin()) {
        return matches;
    }
    for (auto index = static_cast<std::uint32_t>(next - codes_.begin() - 1); index != no_parent;
         index = codes_[index].parent) {
        if (address >= codes_[index].end) {
            continue;
        }
        matches.push_back(&codes_[index]);
        if (codes_[index].inlined == 0) {
            break;
        }
    }
    return matches;
}

/// A compilation unit. `entry` has the lines; the functions are in the same file, or in a separate one
/// (-gsplit-dwarf).
struct unit {
    Dwarf_Die entry{};
    std::unique_ptr<function_tree> functions;
    /// By identity, of functions that are inlined elsewhere; read by compiled_copy().
    std::optional<std::map<const void*, std::uint64_t>> compiled_copies;
    /// `std::vector<point>::`, by the declaration of a function; read by symbol().
    std::optional<std::map<const void*, std::string>> scopes;

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

    /// Returns: the functions that are also inlined, by their identity.
    const std::map<const void*, std::uint64_t>& copies();

    /// Returns: the linker's name of a function. Functions that are local to a file, such as templates of a local type,
    /// have none: their name, qualified by namespaces and classes.
    std::string symbol(Dwarf_Die function);
};

struct unit_range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t unit = 0;
};

/// The limit for all units together. A damaged file can make the list of each unit as long as the section.
constexpr std::size_t most_ranges = 10'000'000;

std::string to_string(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
}

std::string linker_symbol(Dwarf_Die entry) {
    for (const unsigned name : {unsigned{DW_AT_linkage_name}, unsigned{DW_AT_MIPS_linkage_name}}) {
        Dwarf_Attribute attribute;
        if (dwarf_attr_integrate(&entry, name, &attribute) != nullptr) {
            if (const char* const symbol = dwarf_formstring(&attribute)) {
                return symbol;
            }
        }
    }
    return {};
}

/// Returns: the entry that `attribute` refers to, or else the entry itself.
Dwarf_Die referred(Dwarf_Die entry, unsigned attribute) {
    Dwarf_Attribute reference;
    Dwarf_Die target;
    const bool exists = dwarf_attr_integrate(&entry, attribute, &reference) != nullptr &&
                        dwarf_formref_die(&reference, &target) != nullptr;
    return exists ? target : entry;
}

/// Returns: an address that is equal for all calls of an inlined function, and its compiled copy. Link-time optimisation
/// refers to an entry of its own, and that to the entry of the compilation.
const void* identity(Dwarf_Die entry) {
    constexpr unsigned most_references = 8; // a damaged file can have a circle
    const void* origin = entry.addr;
    for (unsigned count = 0; count < most_references; ++count) {
        entry = referred(entry, DW_AT_abstract_origin);
        if (entry.addr == origin) {
            break;
        }
        origin = entry.addr;
    }
    return origin;
}

/// Returns: the file with that number in a unit. dwarf_decl_file() aborts for a split unit whose files were not read before.
std::string file_name(Dwarf_CU* compile_unit, Dwarf_Word number) {
    Dwarf_Die entry;
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const bool has_files =
        dwarf_cu_die(compile_unit, &entry, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) != nullptr &&
        dwarf_getsrcfiles(&entry, &files, &count) == 0;
    return has_files && number < count ? to_string(dwarf_filesrc(files, number, nullptr, nullptr))
                                       : std::string();
}

source_place read_declaration(unit& compile_unit, Dwarf_Die entry) {
    source_place place;
    int number = 0;
    Dwarf_Attribute file;
    Dwarf_Word file_number = 0;
    place.symbol = compile_unit.symbol(entry);
    if (dwarf_attr_integrate(&entry, DW_AT_decl_file, &file) != nullptr &&
        dwarf_formudata(&file, &file_number) == 0) {
        place.file = file_name(file.cu, file_number);
    }
    place.line = dwarf_decl_line(&entry, &number) == 0 ? static_cast<unsigned>(number) : 0;
    return place;
}

/// The namespaces and classes around functions without a linker's name.
class scope_reader {
public:
    /// Effects: adds the functions below `parent`, which has this scope.
    void read(Dwarf_Die parent, const std::string& scope, std::size_t depth) {
        Dwarf_Die entry;
        if (depth == deepest || dwarf_child(&parent, &entry) != 0) {
            return;
        }
        do {
            // As in function_tree::read(), a damaged file must not have a circle.
            const Dwarf_Off offset = dwarf_dieoffset(&entry);
            if (offset <= std::exchange(last_offset_, offset)) {
                return;
            }
            const int tag = dwarf_tag(&entry);
            if (tag == DW_TAG_subprogram) {
                if (!scope.empty() && linker_symbol(entry).empty()) {
                    scopes_.try_emplace(entry.addr, scope);
                }
            } else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
                       tag == DW_TAG_union_type) {
                const char* const name = dwarf_diename(&entry);
                read(entry, scope + (name == nullptr ? "(anonymous namespace)" : name) + "::", depth + 1);
            }
        } while (dwarf_siblingof(&entry, &entry) == 0);
    }

    [[nodiscard]] std::map<const void*, std::string> take() { return std::move(scopes_); }

private:
    Dwarf_Off last_offset_ = 0;
    std::map<const void*, std::string> scopes_;
};

std::string unit::symbol(Dwarf_Die function) {
    if (std::string symbol = linker_symbol(function); !symbol.empty()) {
        return symbol;
    }
    if (!scopes) {
        Dwarf_Die root;
        Dwarf_Half version = 0;
        scope_reader reader;
        if (dwarf_cu_die(function.cu, &root, &version, nullptr, nullptr, nullptr, nullptr, nullptr) !=
            nullptr) {
            reader.read(root, {}, 0);
        }
        scopes = reader.take();
    }
    const Dwarf_Die declared = referred(referred(function, DW_AT_abstract_origin), DW_AT_specification);
    const auto scope = scopes->find(declared.addr);
    return (scope == scopes->end() ? std::string() : scope->second) + to_string(dwarf_diename(&function));
}

const std::map<const void*, std::uint64_t>& unit::copies() {
    if (!compiled_copies) {
        compiled_copies.emplace();
        for (const function_tree::code& code : tree().codes()) {
            if (code.inlined == 0) {
                compiled_copies->try_emplace(identity(tree().entry(code)), code.entry_begin);
            }
        }
    }
    return *compiled_copies;
}

std::optional<Dwarf_Word> unsigned_attribute(Dwarf_Die entry, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_attr(&entry, name, &attribute) == nullptr || dwarf_formudata(&attribute, &number) != 0) {
        return std::nullopt;
    }
    return number;
}

/// Sets the call site of an inlined function.
void set_call(Dwarf_Die entry, source_place& into) {
    into.line = static_cast<unsigned>(unsigned_attribute(entry, DW_AT_call_line).value_or(0));
    if (const std::optional<Dwarf_Word> file = unsigned_attribute(entry, DW_AT_call_file)) {
        into.file = file_name(entry.cu, *file);
    }
}

} // namespace

struct source_lines::state {
    Dwfl_Module* module = nullptr;
    Dwarf* dwarf = nullptr;
    Dwarf_Addr bias = 0;
    bool opened = false;
    std::vector<unit> units;
    std::vector<unit_range> ranges; // by begin

    bool open() {
        if (!opened) {
            opened = true;
            dwarf = dwfl_module_getdwarf(module, &bias);
            if (dwarf != nullptr) {
                read_units();
            }
        }
        return dwarf != nullptr;
    }

    void read_units() {
        std::uint8_t type = 0;
        Dwarf_CU* compile_unit = nullptr;
        Dwarf_Die entry;
        while (dwarf_get_units(dwarf, compile_unit, &compile_unit, nullptr, &type, &entry, nullptr) == 0) {
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
            units.push_back({entry, nullptr, {}, {}});
        }
        std::ranges::sort(
            ranges, [](const unit_range& left, const unit_range& right) { return left.begin < right.begin; });
    }

    unit* unit_at(std::uint64_t address) {
        const auto next = std::ranges::upper_bound(ranges, address, {}, &unit_range::begin);
        if (next == ranges.begin() || address >= (next - 1)->end) {
            return nullptr;
        }
        return &units[(next - 1)->unit];
    }

    std::vector<const function_tree::code*> inlined_at(std::uint64_t address) {
        unit* const match = open() ? unit_at(address - bias) : nullptr;
        return match == nullptr ? std::vector<const function_tree::code*>()
                                : match->tree().inlined_at(address - bias);
    }

    /// Requires: inlined_at() is not empty for the address.
    const function_tree& tree_at(std::uint64_t address) { return unit_at(address - bias)->tree(); }
};

source_lines::source_lines(Dwfl_Module* module) : state_(std::make_unique<state>()) {
    state_->module = module;
}

source_lines::~source_lines() = default;

bool source_lines::has_dwarf() {
    return state_->open();
}

std::vector<source_place> source_lines::at(std::uint64_t address) {
    std::vector<source_place> places;
    if (!state_->open()) {
        return places;
    }
    const std::uint64_t in_dwarf = address - state_->bias;
    unit* const match = state_->unit_at(in_dwarf);
    if (match == nullptr) {
        return places;
    }
    source_place place;
    if (Dwarf_Line* const line = dwarf_getsrc_die(&match->entry, in_dwarf)) {
        int number = 0;
        place.file = to_string(dwarf_linesrc(line, nullptr, nullptr));
        place.line = dwarf_lineno(line, &number) == 0 ? static_cast<unsigned>(number) : 0;
    }
    for (const function_tree::code* const code : match->tree().at(in_dwarf)) {
        const Dwarf_Die entry = match->tree().entry(*code);
        place.symbol = match->symbol(entry);
        place.inlined = code->inlined != 0;
        places.push_back(place);
        place = {};
        if (code->inlined != 0) {
            set_call(entry, place);
        }
    }
    // Code without a function: assembly, or an incomplete description.
    if (places.empty() || places.back().inlined) {
        places.push_back(place);
    }
    return places;
}

source_place source_lines::declaration(std::uint64_t address) {
    if (!state_->open()) {
        return {};
    }
    const std::uint64_t in_dwarf = address - state_->bias;
    unit* const match = state_->unit_at(in_dwarf);
    if (match == nullptr) {
        return {};
    }
    for (const function_tree::code* const code : match->tree().at(in_dwarf)) {
        if (code->inlined == 0) {
            return read_declaration(*match, match->tree().entry(*code));
        }
    }
    return {};
}

std::vector<inlined_function> source_lines::inlined_at(std::uint64_t address) {
    std::vector<inlined_function> functions;
    for (const function_tree::code* const code : state_->inlined_at(address)) {
        const Dwarf_Die entry = state_->tree_at(address).entry(*code);
        functions.push_back({identity(entry), code->entry_begin + state_->bias});
    }
    return functions;
}

source_place source_lines::inlined_declaration(std::uint64_t address, std::size_t index) {
    const auto matches = state_->inlined_at(address);
    return index < matches.size() ? read_declaration(*state_->unit_at(address - state_->bias),
                                                     state_->tree_at(address).entry(*matches[index]))
                                  : source_place{};
}

std::vector<code_span> source_lines::inlined_code(std::uint64_t address, std::size_t index) {
    std::vector<code_span> ranges;
    const auto matches = state_->inlined_at(address);
    if (index < matches.size()) {
        for (const function_tree::code& code : state_->tree_at(address).codes()) {
            if (code.entry == matches[index]->entry) {
                ranges.push_back({code.begin + state_->bias, code.end + state_->bias});
            }
        }
    }
    return ranges;
}

std::optional<std::uint64_t> source_lines::compiled_copy(std::uint64_t address, std::size_t index) {
    const auto matches = state_->inlined_at(address);
    if (index >= matches.size()) {
        return std::nullopt;
    }
    const auto& copies = state_->unit_at(address - state_->bias)->copies();
    const auto copy = copies.find(identity(state_->tree_at(address).entry(*matches[index])));
    return copy == copies.end() ? std::nullopt : std::optional(copy->second + state_->bias);
}

std::set<std::string> source_lines::inlined_containing(std::string_view text) {
    std::set<std::string> symbols;
    if (!state_->open()) {
        return symbols;
    }
    for (unit& compile_unit : state_->units) {
        for (const function_tree::code& code : compile_unit.tree().codes()) {
            if (code.inlined == 0) {
                continue;
            }
            const Dwarf_Die entry = compile_unit.tree().entry(code);
            if (std::string symbol = compile_unit.symbol(entry); symbol.find(text) != std::string::npos) {
                symbols.insert(std::move(symbol));
            }
        }
    }
    return symbols;
}

} // namespace mallard::advisor
