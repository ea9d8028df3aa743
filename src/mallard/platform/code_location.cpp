#include "code_location.hpp"

#if __has_include(<execinfo.h>)
#define MALLARD_HAS_CALL_STACKS 1
#else
#define MALLARD_HAS_CALL_STACKS 0
#endif
#if MALLARD_HAS_CALL_STACKS && defined(__linux__)
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#elif MALLARD_HAS_CALL_STACKS
#include <dlfcn.h>
#endif
#if MALLARD_HAS_CALL_STACKS && __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

#include <cstdio>
#include <cstring>
#include <span>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

#if MALLARD_HAS_CALL_STACKS && defined(__linux__)

namespace {

struct loaded_file {
    std::uintptr_t address;
    std::uintptr_t bias = 0; ///< the distance of its addresses in memory from those in the file
    const char* path = nullptr;
};

int look_into(dl_phdr_info* info, std::size_t, void* data) noexcept {
    loaded_file& file = *static_cast<loaded_file*>(data);
    for (const ElfW(Phdr) & part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
        if (part.p_type == PT_LOAD && file.address - info->dlpi_addr - part.p_vaddr < part.p_memsz) {
            file.bias = info->dlpi_addr;
            file.path = info->dlpi_name;
            return 1;
        }
    }
    return 0;
}

/// A file in memory, which may be damaged.
class elf_image {
public:
    explicit elf_image(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    /// Returns: the name of the function at an address of the file; null if there is none.
    [[nodiscard]] const char* find_function(std::uintptr_t address) const noexcept {
        const auto header = part<ElfW(Ehdr)>(0, 1);
        if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
            header[0].e_shentsize != sizeof(ElfW(Shdr))) {
            return nullptr;
        }
        const auto sections = part<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
        for (const auto kind : {SHT_SYMTAB, SHT_DYNSYM}) {
            for (const ElfW(Shdr) & table : sections) {
                if (table.sh_type != static_cast<ElfW(Word)>(kind) || table.sh_link >= sections.size()) {
                    continue;
                }
                if (const char* const name = find_in_table(table, sections[table.sh_link], address)) {
                    return name;
                }
            }
        }
        return nullptr;
    }

private:
    /// Returns: `count` objects at an offset; none if the file ends before.
    template <class T>
    [[nodiscard]] std::span<const T> part(std::size_t offset, std::size_t count) const noexcept {
        if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) ||
            offset % alignof(T) != 0) {
            return {};
        }
        return {reinterpret_cast<const T*>(bytes_.data() + offset), count};
    }

    [[nodiscard]] const char* find_in_table(const ElfW(Shdr) & table, const ElfW(Shdr) & strings,
                                            std::uintptr_t address) const noexcept {
        const auto text = part<char>(strings.sh_offset, strings.sh_size);
        if (text.empty() || text.back() != '\0') {
            return nullptr;
        }
        for (const ElfW(Sym) & symbol : part<ElfW(Sym)>(table.sh_offset, table.sh_size / sizeof(ElfW(Sym)))) {
            const unsigned type = symbol.st_info & 0xFU;
            if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
                address - symbol.st_value < symbol.st_size && symbol.st_name < text.size()) {
                return &text[symbol.st_name];
            }
        }
        return nullptr;
    }

    std::span<const std::byte> bytes_;
};

} // namespace

code_location code_finder::find(const void* return_address) noexcept {
    // The call ends where it returns to. It may be the last instruction of its function.
    loaded_file file{.address = reinterpret_cast<std::uintptr_t>(return_address) - 1};
    if (dl_iterate_phdr(look_into, &file) == 0) {
        return {};
    }
    const bool is_program = file.path == nullptr || *file.path == '\0';
    map(is_program ? "/proc/self/exe" : file.path);
    code_location found{.file = path_.data(), .offset = file.address - file.bias};
    if (image_ != nullptr) {
        found.function = elf_image({image_, image_bytes_}).find_function(found.offset);
    }
    return found;
}

void code_finder::map(const char* path) noexcept {
    std::array<char, std::tuple_size_v<decltype(path_)>> target{};
    if (readlink(path, target.data(), target.size() - 1) <= 0 || std::strcmp(path, "/proc/self/exe") != 0) {
        std::snprintf(target.data(), target.size(), "%s", path);
    }
    if (target == path_) {
        return;
    }
    unmap();
    path_ = target;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    struct stat status{};
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        const auto bytes = static_cast<std::size_t>(status.st_size);
        void* const image = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (image != MAP_FAILED) {
            image_ = static_cast<const std::byte*>(image);
            image_bytes_ = bytes;
        }
    }
    close(file);
}

void code_finder::unmap() noexcept {
    if (image_ != nullptr) {
        munmap(const_cast<std::byte*>(image_), image_bytes_);
        image_ = nullptr;
    }
}

#elif MALLARD_HAS_CALL_STACKS

code_location code_finder::find(const void* return_address) noexcept {
    const char* const call = static_cast<const char*>(return_address) - 1;
    Dl_info info{};
    if (dladdr(call, &info) == 0) {
        return {};
    }
    const auto offset = static_cast<std::uintptr_t>(call - static_cast<const char*>(info.dli_fbase));
    return {.file = info.dli_fname, .offset = offset, .function = info.dli_sname};
}

void code_finder::unmap() noexcept {}

#else

code_location code_finder::find(const void*) noexcept {
    return {};
}

void code_finder::unmap() noexcept {}

#endif

char* demangle([[maybe_unused]] const char* function) noexcept {
#if MALLARD_HAS_CALL_STACKS && __has_include(<cxxabi.h>)
    return abi::__cxa_demangle(function, nullptr, nullptr, nullptr);
#else
    return nullptr;
#endif
}

}} // namespace mallard::platform::MALLARD_LIBRARY
