/// The symbols and relocations of a loaded file, in the memory of the process.
#pragma once

#include "recorder/code/code_objects.hpp"

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mallard::recorder {

/// The dynamic section of a loaded file.
struct dynamic_section {
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Rela) * relocations = nullptr;
    std::size_t relocation_count = 0;
    const ElfW(Rela) * calls = nullptr;
    std::size_t call_count = 0;
    const std::uint32_t* gnu_hash = nullptr;
    const ElfW(Half) * versions = nullptr; ///< of the symbols

    dynamic_section(const ElfW(Dyn) * entry, unwind::address base) noexcept {
        // The loader has added the base to addresses, except in files whose section is read-only.
        const auto pointer = [base](const ElfW(Dyn) & from) {
            return from.d_un.d_ptr < base ? from.d_un.d_ptr + base : from.d_un.d_ptr;
        };
        bool has_addends = true;
        for (; entry->d_tag != DT_NULL; ++entry) {
            switch (entry->d_tag) {
            case DT_SYMTAB:
                symbols = reinterpret_cast<const ElfW(Sym)*>(pointer(*entry));
                break;
            case DT_STRTAB:
                names = reinterpret_cast<const char*>(pointer(*entry));
                break;
            case DT_RELA:
                relocations = reinterpret_cast<const ElfW(Rela)*>(pointer(*entry));
                break;
            case DT_RELASZ:
                relocation_count = entry->d_un.d_val / sizeof(ElfW(Rela));
                break;
            case DT_JMPREL:
                calls = reinterpret_cast<const ElfW(Rela)*>(pointer(*entry));
                break;
            case DT_PLTRELSZ:
                call_count = entry->d_un.d_val / sizeof(ElfW(Rela));
                break;
            case DT_PLTREL:
                has_addends = entry->d_un.d_val == DT_RELA;
                break;
            case DT_VERSYM:
                versions = reinterpret_cast<const ElfW(Half)*>(pointer(*entry));
                break;
            case DT_GNU_HASH:
                gnu_hash = reinterpret_cast<const std::uint32_t*>(pointer(*entry));
                break;
            default:
                break;
            }
        }
        if (symbols == nullptr || names == nullptr || relocations == nullptr) {
            relocation_count = 0;
        }
        if (symbols == nullptr || names == nullptr || calls == nullptr || !has_addends) {
            call_count = 0;
        }
    }

    /// Returns: the number of symbols, from the chains of the hash table.
    [[nodiscard]] std::uint32_t symbol_count() const noexcept {
        if (gnu_hash == nullptr || symbols == nullptr || names == nullptr) {
            return 0;
        }
        const std::uint32_t bucket_count = gnu_hash[0];
        const std::uint32_t first = gnu_hash[1];
        const std::uint32_t* const buckets = gnu_hash + 4 + std::size_t{gnu_hash[2]} * 2;
        const std::uint32_t* const chains = buckets + bucket_count;
        std::uint32_t last = 0;
        for (std::uint32_t index = 0; index < bucket_count; ++index) {
            last = buckets[index] > last ? buckets[index] : last;
        }
        if (last < first) {
            return first;
        }
        while ((chains[last - first] & 1U) == 0) {
            ++last;
        }
        return last + 1;
    }

    /// Returns: the function that the file defines, in its default version; 0 if there is none.
    [[nodiscard]] unwind::address find(const char* name, unwind::address base) const noexcept {
        if (gnu_hash == nullptr || symbols == nullptr || names == nullptr || gnu_hash[0] == 0) {
            return 0;
        }
        std::uint32_t hash = 5381;
        for (const char* letter = name; *letter != 0; ++letter) {
            hash = hash * 33 + static_cast<unsigned char>(*letter);
        }
        const std::uint32_t bucket_count = gnu_hash[0];
        const std::uint32_t first = gnu_hash[1];
        const std::uint32_t* const buckets = gnu_hash + 4 + std::size_t{gnu_hash[2]} * 2;
        const std::uint32_t* const chains = buckets + bucket_count;
        constexpr ElfW(Half) not_default = 0x8000;
        for (std::uint32_t index = buckets[hash % bucket_count]; index >= first; ++index) {
            const std::uint32_t chain = chains[index - first];
            const ElfW(Sym)& symbol = symbols[index];
            const auto type = ELF64_ST_TYPE(symbol.st_info);
            if ((chain | 1U) == (hash | 1U) && symbol.st_shndx != SHN_UNDEF &&
                (type == STT_FUNC || type == STT_GNU_IFUNC) &&
                (versions == nullptr || (versions[index] & not_default) == 0) &&
                std::strcmp(names + symbol.st_name, name) == 0) {
                const unwind::address function = base + symbol.st_value;
                return type == STT_FUNC ? function : reinterpret_cast<unwind::address (*)()>(function)();
            }
            if ((chain & 1U) != 0) {
                break;
            }
        }
        return 0;
    }
};

} // namespace mallard::recorder
