#include "profiler/symbols/symbol_table.hpp"

#include "profiler/symbols/function_name.hpp"

#include <elfutils/libdwfl.h>

#include <algorithm>
#include <functional>
#include <tuple>

namespace mallard::advisor {

namespace {

std::uint64_t name_hash(std::uint32_t scope, std::string_view name) noexcept {
    return std::hash<std::string_view>{}(name) ^ (scope + std::uint64_t{1}) * 0x9e3779b97f4a7c15U;
}

bool can_be_code(const GElf_Sym& symbol) noexcept {
    const auto type = GELF_ST_TYPE(symbol.st_info);
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/// The executable address ranges of a module.
class code_segments {
public:
    explicit code_segments(Dwfl_Module* module) {
        GElf_Addr bias = 0;
        Elf* const file = dwfl_module_getelf(module, &bias);
        std::size_t count = 0;
        if (file == nullptr || elf_getphdrnum(file, &count) != 0) {
            return;
        }
        for (std::size_t index = 0; index < count; ++index) {
            GElf_Phdr segment;
            if (gelf_getphdr(file, static_cast<int>(index), &segment) != nullptr &&
                segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
                segments_.emplace_back(segment.p_vaddr + bias, segment.p_memsz);
            }
        }
    }
    /// Returns: the bytes of code from the address to the end of its segment.
    [[nodiscard]] std::uint64_t bytes_from(std::uint64_t address) const noexcept {
        for (const auto& [begin, bytes] : segments_) {
            if (address - begin < bytes) {
                return bytes - (address - begin);
            }
        }
        return 0;
    }

private:
    std::vector<std::pair<std::uint64_t, std::uint64_t>> segments_;
};

} // namespace

symbol_table::symbol_table(Dwfl_Module* module) {
    read(module);
    std::ranges::sort(ranges_, [](const range& left, const range& right) {
        return left.begin != right.begin ? left.begin < right.begin : is_better(left, right);
    });
    guess_ends();
    index_names();
    drop_aliases();
}

void symbol_table::read(Dwfl_Module* module) {
    const int count = dwfl_module_getsymtab(module);
    const code_segments code(module);
    std::uint32_t scope = 0;
    for (int index = 1; index < count; ++index) {
        GElf_Sym symbol;
        GElf_Addr address = 0;
        const char* const name =
            dwfl_module_getsym_info(module, index, &symbol, &address, nullptr, nullptr, nullptr);
        if (name == nullptr || *name == '\0') {
            continue;
        }
        const bool is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
        if (is_local && GELF_ST_TYPE(symbol.st_info) == STT_FILE) {
            ++scope;
        }
        if (!can_be_code(symbol) || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) {
            continue;
        }
        const std::uint64_t room = code.bytes_from(address);
        if (room == 0) {
            continue;
        }
        range symbol_range;
        symbol_range.begin = address;
        symbol_range.end = address + std::min(symbol.st_size == 0 ? room : symbol.st_size, room);
        symbol_range.symbol = name;
        symbol_range.scope = is_local ? scope : 0;
        symbol_range.is_weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK;
        symbol_range.has_size = symbol.st_size != 0;
        ranges_.push_back(symbol_range);
    }
}

/// Prefers the alias that a reader knows: with a size, without suffix, visible in other files, with fewer
/// underscores.
bool symbol_table::is_better(const range& left, const range& right) noexcept {
    const auto rank = [](const range& candidate) {
        const bool has_suffix = without_clone(candidate.symbol).size() != candidate.symbol.size();
        const std::size_t underscores =
            std::min(candidate.symbol.find_first_not_of('_'), candidate.symbol.size());
        return std::tuple(!candidate.has_size, has_suffix, candidate.scope != 0,
                          candidate.symbol.starts_with("_Z") ? std::size_t{0} : underscores,
                          candidate.is_weak, candidate.symbol.size(), candidate.symbol);
    };
    return rank(left) < rank(right);
}

/// A symbol without a size ends where the next one begins.
void symbol_table::guess_ends() {
    std::uint64_t next = ~std::uint64_t{0};
    for (std::size_t index = ranges_.size(); index-- > 0;) {
        if (!ranges_[index].has_size) {
            ranges_[index].end = std::min(ranges_[index].end, next);
        }
        if (index > 0 && ranges_[index - 1].begin != ranges_[index].begin) {
            next = ranges_[index].begin;
        }
    }
}

void symbol_table::index_names() {
    names_.reserve(ranges_.size());
    for (const range& entry : ranges_) {
        const std::string_view name = without_clone(entry.symbol);
        names_.push_back({name_hash(entry.scope, name), entry.begin, name.size() != entry.symbol.size()});
    }
    std::ranges::sort(names_, [](const named& left, const named& right) {
        return std::tuple(left.hash, left.is_clone, left.begin) <
               std::tuple(right.hash, right.is_clone, right.begin);
    });
}

/// Keeps the best symbol of each address, and links each range to the enclosing one.
void symbol_table::drop_aliases() {
    std::size_t kept = 0;
    std::vector<std::uint32_t> open;
    for (range current : ranges_) {
        if (kept != 0 && current.begin == ranges_[kept - 1].begin) {
            continue;
        }
        while (!open.empty() && ranges_[open.back()].end <= current.begin) {
            open.pop_back();
        }
        current.parent = open.empty() ? no_parent : open.back();
        open.push_back(static_cast<std::uint32_t>(kept));
        ranges_[kept++] = current;
    }
    ranges_.resize(kept);
}

const symbol_table::range* symbol_table::covering(std::uint64_t address) const noexcept {
    const auto next = std::ranges::upper_bound(ranges_, address, {}, &range::begin);
    if (next == ranges_.begin()) {
        return nullptr;
    }
    const range* nearest = &*(next - 1);
    while (address >= nearest->end) {
        if (nearest->parent == no_parent) {
            return nullptr;
        }
        nearest = &ranges_[nearest->parent];
    }
    return nearest;
}

const symbol_table::named* symbol_table::find(std::uint32_t scope, std::string_view name) const noexcept {
    const std::uint64_t hash = name_hash(scope, name);
    const auto first = std::ranges::lower_bound(names_, hash, {}, &named::hash);
    return first != names_.end() && first->hash == hash ? &*first : nullptr;
}

/// A clone is local even if its function is not, so the function of its source file comes first, then the global one.
/// If neither has a main part, the clones belong together.
std::uint64_t symbol_table::find_main_part(const range& part, std::string_view name) const noexcept {
    const named* const own = find(part.scope, name);
    if (own != nullptr && !own->is_clone) {
        return own->begin;
    }
    const named* const shared = find(0, name);
    if (shared != nullptr) {
        return shared->begin;
    }
    return own != nullptr ? own->begin : part.begin;
}

symbol_table::match symbol_table::at(std::uint64_t address) const noexcept {
    const range* const part = covering(address);
    if (part == nullptr) {
        return {};
    }
    const std::string_view name = without_clone(part->symbol);
    if (name.size() == part->symbol.size()) {
        return {part->begin, name, part->has_size, true};
    }
    const std::uint64_t begin = find_main_part(*part, name);
    const range* const main_part = covering(begin);
    const bool has_name = main_part != nullptr && main_part->begin == begin;
    return {begin, has_name ? without_clone(main_part->symbol) : name, part->has_size, true};
}

std::optional<std::uint64_t> symbol_table::global(std::string_view name) const noexcept {
    const named* const function = find(0, name);
    return function == nullptr || function->is_clone ? std::nullopt : std::optional(function->begin);
}

std::vector<std::string_view> symbol_table::containing(std::string_view text) const {
    std::vector<std::string_view> names;
    for (const range& part : ranges_) {
        if (part.symbol.find(text) != std::string_view::npos) {
            names.push_back(without_clone(part.symbol));
        }
    }
    return names;
}

} // namespace mallard::advisor
