#include "profiler/symbols/frame_ranges.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace mallard::advisor {

namespace {

/// Returns: the bytes of an encoded pointer; 0 if their number varies.
std::size_t encoded_bytes(std::uint8_t encoding) noexcept {
    switch (encoding & 0x0f) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return 8;
    case DW_EH_PE_udata4:
    case DW_EH_PE_sdata4:
        return 4;
    case DW_EH_PE_udata2:
    case DW_EH_PE_sdata2:
        return 2;
    default:
        return 0;
    }
}

/// Returns: the number, sign-extended if its encoding is signed.
std::uint64_t number_at(const std::uint8_t* at, std::uint8_t encoding) noexcept {
    std::uint64_t value = 0;
    const std::size_t bytes = encoded_bytes(encoding);
    std::memcpy(&value, at, bytes);
    const bool is_signed = (encoding & DW_EH_PE_signed) != 0;
    if (is_signed && bytes < 8 && (value >> (8 * bytes - 1) & 1) != 0) {
        value |= ~std::uint64_t{0} << (8 * bytes);
    }
    return value;
}

/// Returns: the encoding of addresses in the FDEs of a CIE.
std::uint8_t fde_encoding(const Dwarf_CIE& cie) noexcept {
    const std::string_view letters = cie.augmentation == nullptr ? "" : cie.augmentation;
    if (!letters.starts_with('z') || cie.augmentation_data == nullptr) {
        return DW_EH_PE_absptr;
    }
    std::size_t at = 0;
    for (const char letter : letters.substr(1)) {
        if (letter == 'S' || letter == 'B') {
            continue;
        }
        if (at >= cie.augmentation_data_size) {
            return DW_EH_PE_omit;
        }
        const std::uint8_t encoding = cie.augmentation_data[at++];
        if (letter == 'R') {
            return encoding;
        }
        if (letter == 'P') {
            at += encoded_bytes(encoding);
        }
    }
    return DW_EH_PE_absptr;
}

Elf_Data* find_section(Elf* file, std::uint64_t& address) {
    std::size_t names = 0;
    if (elf_getshdrstrndx(file, &names) != 0) {
        return nullptr;
    }
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(file, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) {
            continue;
        }
        const char* const name = elf_strptr(file, names, header.sh_name);
        if (name == nullptr || std::strcmp(name, ".eh_frame") != 0) {
            continue;
        }
        address = header.sh_addr;
        return elf_rawdata(section, nullptr);
    }
    return nullptr;
}

/// The encoding of the last FDE: nearly all FDEs share one CIE.
struct cached_encoding {
    Dwarf_Off cie = ~Dwarf_Off{0};
    std::uint8_t encoding = DW_EH_PE_omit;
};

std::uint8_t encoding_at(const unsigned char* ident, Elf_Data* data, Dwarf_Off cie) noexcept {
    Dwarf_Off next = 0;
    Dwarf_CFI_Entry entry;
    if (dwarf_next_cfi(ident, data, true, cie, &next, &entry) != 0 || !dwarf_cfi_cie_p(&entry)) {
        return DW_EH_PE_omit;
    }
    return fde_encoding(entry.cie);
}

} // namespace

frame_ranges::frame_ranges(Elf* file) {
    std::uint64_t section = 0;
    Elf_Data* const data = file == nullptr ? nullptr : find_section(file, section);
    const auto* const ident =
        reinterpret_cast<const unsigned char*>(file == nullptr ? nullptr : elf_getident(file, nullptr));
    if (data == nullptr || data->d_buf == nullptr || ident == nullptr || ident[EI_CLASS] != ELFCLASS64) {
        return;
    }
    cached_encoding cached;
    Dwarf_CFI_Entry entry;
    Dwarf_Off next = 0;
    for (Dwarf_Off at = 0; dwarf_next_cfi(ident, data, true, at, &next, &entry) == 0 && next > at;
         at = next) {
        if (dwarf_cfi_cie_p(&entry)) {
            continue;
        }
        if (entry.fde.CIE_pointer != cached.cie) {
            cached = {entry.fde.CIE_pointer, encoding_at(ident, data, entry.fde.CIE_pointer)};
        }
        const std::uint8_t encoding = cached.encoding;
        const std::size_t bytes = encoded_bytes(encoding);
        const auto* const start = entry.fde.start;
        if (encoding == DW_EH_PE_omit || (encoding & DW_EH_PE_indirect) != 0 || bytes == 0 ||
            static_cast<std::size_t>(entry.fde.end - start) < 2 * bytes) {
            continue;
        }
        std::uint64_t begin = number_at(start, encoding);
        if ((encoding & 0x70) == DW_EH_PE_pcrel) {
            begin +=
                section + static_cast<std::uint64_t>(start - static_cast<const std::uint8_t*>(data->d_buf));
        }
        const std::uint64_t length = number_at(start + bytes, encoding & 0x07);
        if (begin + length > begin) {
            ranges_.push_back({begin, begin + length});
        }
    }
    std::ranges::sort(ranges_,
                      [](const range& left, const range& right) { return left.begin < right.begin; });
}

std::optional<frame_ranges::range> frame_ranges::at(std::uint64_t address) const noexcept {
    const auto next = std::ranges::upper_bound(ranges_, address, {}, &range::begin);
    if (next == ranges_.begin() || address >= (next - 1)->end) {
        return std::nullopt;
    }
    return *(next - 1);
}

} // namespace mallard::advisor
