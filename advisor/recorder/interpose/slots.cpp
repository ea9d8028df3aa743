#include "recorder/interpose/slots.hpp"

#include "recorder/code/code_objects.hpp"
#include "recorder/interpose/dynamic_section.hpp"
#include "recorder/interpose/interposed.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mallard::recorder {

namespace {

using unwind::address;

struct slot_function {
    const char* name = nullptr;
    address hook = 0;
    address real = 0;              ///< 0 while no file of the program has it
    bool is_lookup_result = false; ///< an unresolved slot would be resolved to `real`
};

constexpr unsigned most_functions = 128;
constinit std::array<slot_function, most_functions> functions{};
constinit unsigned function_count = 0;
constinit address own_base = 0;

std::size_t bytes_of_page() noexcept {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Returns: true if a lookup by the loader finds `function`. The program's own file may have a function of that name, or an
/// entry that stands for the address of the function.
bool is_found_by_loader(const char* name, address function) noexcept {
    void* const result = ::dlsym(RTLD_DEFAULT, name);
    if (result == nullptr) {
        ::dlerror();
        return true; // only files that were loaded for themselves have it
    }
    if (reinterpret_cast<address>(result) == function) {
        return true;
    }
    Dl_info info{};
    const ElfW(Sym)* symbol = nullptr;
    return ::dladdr1(result, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)),
                     RTLD_DL_SYMENT) != 0 &&
           symbol != nullptr && symbol->st_shndx == SHN_UNDEF;
}

void find_real_functions() noexcept {
    for (unsigned index = 0; index < function_count; ++index) {
        slot_function& function = functions[index];
        if (function.real == 0) {
            function.real = reinterpret_cast<address>(next_function<void*>(function.name));
            function.is_lookup_result =
                function.real != 0 && is_found_by_loader(function.name, function.real);
        }
    }
}

void find_hooks() noexcept {
    link_map* own = nullptr;
    Dl_info info{};
    if (::dladdr1(static_cast<const void*>(functions.data()), &info, reinterpret_cast<void**>(&own),
                  RTLD_DL_LINKMAP) == 0 ||
        own == nullptr) {
        return;
    }
    own_base = own->l_addr;
    const dynamic_section section(own->l_ld, own->l_addr);
    if (section.symbols == nullptr || section.names == nullptr) {
        return;
    }
    const std::uint32_t count = section.symbol_count();
    for (std::uint32_t index = 0; index < count && function_count < most_functions; ++index) {
        const ElfW(Sym)& symbol = section.symbols[index];
        const char* const name = section.names + symbol.st_name;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
            std::strncmp(name, "mallard_", 8) != 0) {
            functions[function_count++] = {name, own->l_addr + symbol.st_value, 0, false};
        }
    }
}

/// The file whose slots are visited.
struct visited_file {
    address base = 0;
    address begin = UINTPTR_MAX;
    address end = 0;
    address relro_begin = 0;
    address relro_end = 0; ///< whole pages
    const ElfW(Dyn) * dynamic = nullptr;

    explicit visited_file(const dl_phdr_info& info) noexcept : base(info.dlpi_addr) {
        const address page = bytes_of_page();
        for (unsigned index = 0; index < info.dlpi_phnum; ++index) {
            const ElfW(Phdr)& segment = info.dlpi_phdr[index];
            const address from = base + segment.p_vaddr;
            if (segment.p_type == PT_LOAD) {
                begin = from < begin ? from : begin;
                end = from + segment.p_memsz > end ? from + segment.p_memsz : end;
            } else if (segment.p_type == PT_GNU_RELRO) {
                relro_begin = from / page * page;
                relro_end = (from + segment.p_memsz) / page * page;
            } else if (segment.p_type == PT_DYNAMIC) {
                dynamic = reinterpret_cast<const ElfW(Dyn)*>(from);
            }
        }
    }
    [[nodiscard]] bool covers(address value) const noexcept { return begin <= value && value < end; }
    [[nodiscard]] bool protects(address slot) const noexcept {
        return relro_begin <= slot && slot < relro_end;
    }
};

bool is_writable(address slot) noexcept {
    const address page = bytes_of_page();
    return ::madvise(reinterpret_cast<void*>(slot / page * page), page, MADV_POPULATE_WRITE) == 0;
}

enum class direction : bool { to_recorder, to_program };

class visitor {
public:
    explicit visitor(direction to) noexcept : to_(to) {}

    void visit(const visited_file& file) noexcept {
        if (file.base == own_base || file.dynamic == nullptr || file.end == 0) {
            return;
        }
        const dynamic_section section(file.dynamic, file.base);
        visit(file, section, section.relocations, section.relocation_count);
        visit(file, section, section.calls, section.call_count);
        if (file.covers(_r_debug.r_ldbase)) {
            visit_loader(file);
        }
    }

    [[nodiscard]] bool is_complete() const noexcept { return complete_; }

private:
    void visit(const visited_file& file, const dynamic_section& section, const ElfW(Rela) * relocations,
               std::size_t count) noexcept {
        for (std::size_t index = 0; index < count; ++index) {
            const ElfW(Rela)& relocation = relocations[index];
            const auto type = ELF64_R_TYPE(relocation.r_info);
            const bool is_call = type == R_X86_64_JUMP_SLOT;
            if (!is_call && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) {
                continue;
            }
            const address slot = file.base + relocation.r_offset;
            if (slot % sizeof(address) != 0 || !file.covers(slot)) {
                continue;
            }
            const ElfW(Sym)& symbol = section.symbols[ELF64_R_SYM(relocation.r_info)];
            const address value = load(slot);
            const bool is_unresolved = is_call && symbol.st_shndx == SHN_UNDEF && file.covers(value);
            if (const slot_function* const function =
                    find(section.names + symbol.st_name, value, is_unresolved)) {
                store(file, slot, value, *function);
            }
        }
    }

    /// The loader keeps the addresses of four functions in variables without a relocation.
    void visit_loader(const visited_file& file) noexcept {
        for (address slot = file.relro_begin; slot < file.relro_end; slot += sizeof(address)) {
            const address value = load(slot);
            for (const char* const name : {"malloc", "calloc", "realloc", "free"}) {
                if (const slot_function* const function = find(name, value, false)) {
                    store(file, slot, value, *function);
                }
            }
        }
    }

    /// Returns: the function of the name, if a slot of this value is to be changed.
    [[nodiscard]] const slot_function* find(const char* name, address value,
                                            bool is_unresolved) const noexcept {
        for (unsigned index = 0; index < function_count; ++index) {
            const slot_function& function = functions[index];
            if (function.real == 0) {
                continue;
            }
            const bool matches = to_ == direction::to_program
                                     ? value == function.hook
                                     : value == function.real || (is_unresolved && function.is_lookup_result);
            if (matches && std::strcmp(name, function.name) == 0) {
                return &function;
            }
        }
        return nullptr;
    }

    static address load(address slot) noexcept {
        return __atomic_load_n(reinterpret_cast<const address*>(slot), __ATOMIC_RELAXED);
    }

    void store(const visited_file& file, address slot, address value,
               const slot_function& function) noexcept {
        const address page = bytes_of_page();
        void* const begin = reinterpret_cast<void*>(slot / page * page);
        const bool is_protected = file.protects(slot);
        if (!is_protected && !is_writable(slot)) {
            return; // as in code that was relocated (DT_TEXTREL), or made read-only by the program
        }
        if (is_protected && (is_writable(slot) || ::mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)) {
            complete_ = false;
            return;
        }
        const address wanted = to_ == direction::to_recorder ? function.hook : function.real;
        // The loader may resolve the slot meanwhile.
        __atomic_compare_exchange_n(reinterpret_cast<address*>(slot), &value, wanted, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED);
        if (is_protected) {
            ::mprotect(begin, page, PROT_READ);
        }
    }

    direction to_;
    bool complete_ = true;
};

bool visit_all(direction to) noexcept {
    visitor files(to);
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* argument) {
            static_cast<visitor*>(argument)->visit(visited_file(*info));
            return 0;
        },
        &files);
    return files.is_complete();
}

} // namespace

bool find_slot_functions() noexcept {
    if (function_count == 0) {
        find_hooks();
    }
    find_real_functions();
    return is_writable(reinterpret_cast<address>(&function_count));
}

bool patch_slots() noexcept {
    find_real_functions();
    return visit_all(direction::to_recorder);
}

void restore_slots() noexcept {
    visit_all(direction::to_program);
}

file_counts file_counts::read() noexcept {
    file_counts result;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* argument) {
            *static_cast<file_counts*>(argument) = {info->dlpi_adds, info->dlpi_subs};
            return 1; // all files have the same counts
        },
        &result);
    return result;
}

} // namespace mallard::recorder
