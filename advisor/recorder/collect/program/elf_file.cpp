#include "recorder/collect/program/elf_file.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace mallard::collect {

namespace {

constexpr std::array<std::string_view, 9> names{
    "malloc",        "_Znwm",          "__asan_init",
    "__tsan_init",   "__msan_init",    "__lsan_init",
    "__hwasan_init", "__memprof_init", "mallard_record_functions",
};

class opened_elf {
public:
    explicit opened_elf(const std::filesystem::path& path) {
        ::elf_version(EV_CURRENT);
        file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (file_ >= 0) {
            elf_ = ::elf_begin(file_, ELF_C_READ_MMAP, nullptr);
        }
    }
    opened_elf(const opened_elf&) = delete;
    opened_elf& operator=(const opened_elf&) = delete;
    ~opened_elf() {
        ::elf_end(elf_);
        if (file_ >= 0) {
            ::close(file_);
        }
    }
    [[nodiscard]] Elf* get() const noexcept { return elf_; }

private:
    int file_ = -1;
    Elf* elf_ = nullptr;
};

void read_interpreter(Elf* elf, elf_file& result) {
    std::size_t count = 0;
    if (::elf_getphdrnum(elf, &count) != 0) {
        return;
    }
    std::size_t bytes = 0;
    const char* const file = ::elf_rawfile(elf, &bytes);
    for (std::size_t index = 0; index < count; ++index) {
        GElf_Phdr segment;
        if (::gelf_getphdr(elf, static_cast<int>(index), &segment) == nullptr ||
            segment.p_type != PT_INTERP) {
            continue;
        }
        if (file != nullptr && segment.p_offset < bytes && segment.p_filesz <= bytes - segment.p_offset) {
            result.interpreter = std::string(file + segment.p_offset, segment.p_filesz).c_str();
        }
    }
}

void read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::set<std::string>& defined) {
    Elf_Data* const data = ::elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) {
        return;
    }
    const std::size_t count = data->d_size / header.sh_entsize;
    for (std::size_t index = 1; index < count; ++index) {
        GElf_Sym symbol;
        if (::gelf_getsym(data, static_cast<int>(index), &symbol) == nullptr ||
            symbol.st_shndx == SHN_UNDEF) {
            continue;
        }
        const char* const text = ::elf_strptr(elf, header.sh_link, symbol.st_name);
        if (text == nullptr) {
            continue;
        }
        for (const std::string_view name : names) {
            if (name == text) {
                defined.emplace(name);
            }
        }
    }
}

void read_dynamic(Elf_Scn* section, const GElf_Shdr& header, elf_file& result) {
    Elf_Data* const data = ::elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) {
        return;
    }
    const std::size_t count = data->d_size / header.sh_entsize;
    for (std::size_t index = 0; index < count; ++index) {
        GElf_Dyn entry;
        if (::gelf_getdyn(data, static_cast<int>(index), &entry) == nullptr) {
            return;
        }
        if (entry.d_tag == DT_SYMBOLIC ||
            (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_SYMBOLIC) != 0)) {
            result.is_symbolic = true;
        }
    }
}

} // namespace

elf_file elf_file::read(const std::filesystem::path& path) {
    elf_file result;
    const opened_elf opened(path);
    GElf_Ehdr header;
    if (opened.get() == nullptr || ::elf_kind(opened.get()) != ELF_K_ELF ||
        ::gelf_getehdr(opened.get(), &header) == nullptr) {
        return result;
    }
    result.is_elf = true;
    result.is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
    result.machine = header.e_machine;
    read_interpreter(opened.get(), result);
    for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(opened.get(), section)) != nullptr;) {
        GElf_Shdr section_header;
        if (::gelf_getshdr(section, &section_header) == nullptr) {
            continue;
        }
        if (section_header.sh_type == SHT_DYNSYM) {
            read_symbols(opened.get(), section, section_header, result.exported);
        } else if (section_header.sh_type == SHT_SYMTAB) {
            read_symbols(opened.get(), section, section_header, result.internal);
        } else if (section_header.sh_type == SHT_DYNAMIC) {
            read_dynamic(section, section_header, result);
        }
    }
    for (const std::string& name : result.exported) {
        result.internal.erase(name);
    }
    return result;
}

bool elf_file::is_for_this_machine() const noexcept {
    return is_64_bit && machine == EM_X86_64;
}

std::string elf_file::kind() const {
    const std::string bits = is_64_bit ? "64-bit" : "32-bit";
    switch (machine) {
    case EM_386:
        return "a " + bits + " program for i386";
    case EM_X86_64:
        return "a " + bits + " program for x86-64";
    case EM_AARCH64:
        return "a " + bits + " program for aarch64";
    case EM_ARM:
        return "a " + bits + " program for arm";
    case EM_RISCV:
        return "a " + bits + " program for riscv";
    default:
        return "a " + bits + " program for machine " + std::to_string(machine) + " of elf.h";
    }
}

} // namespace mallard::collect
