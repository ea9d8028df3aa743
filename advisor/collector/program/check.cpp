#include "collector/program/check.hpp"

#include "collector/failure.hpp"
#include "recorder/arch/arch.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::collector {

namespace {

namespace fs = std::filesystem;

/// The facts of an ELF file: its machine, its loader, the symbols that matter for a recording.
struct elf_file {
    bool is_elf = false;
    bool is_64_bit = false;
    unsigned machine = 0;     ///< EM_...
    std::string interpreter;  ///< the loader that the kernel starts first; empty in static programs
    bool is_symbolic = false; ///< a library that resolves its own symbols first
    // Defined symbols, of those that identify allocators and sanitizers.
    std::set<std::string> exported;
    std::set<std::string> internal; ///< only other parts of the file can call them

    /// Returns: the file's facts; `is_elf` is false if it is not an ELF file, damaged, or unreadable.
    static elf_file read(const fs::path& path);

    [[nodiscard]] bool is_for_this_machine() const noexcept;
    /// Returns: a text for an error, such as "a 32-bit program for i386".
    [[nodiscard]] std::string kind() const;
};

constexpr std::array<std::string_view, 9> allocator_symbols{
    "malloc",        "_Znwm",          "__asan_init",
    "__tsan_init",   "__msan_init",    "__lsan_init",
    "__hwasan_init", "__memprof_init", "mallard_record_functions",
};

class opened_elf {
public:
    explicit opened_elf(const fs::path& path) {
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
            // NOLINTNEXTLINE(readability-redundant-string-cstr): the path ends at the first null character
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
        for (const std::string_view name : allocator_symbols) {
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

elf_file elf_file::read(const fs::path& path) {
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
    return is_64_bit && machine == recorder::arch::elf_machine;
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

/// Returns: the standard output of the command.
std::string run_command(std::vector<std::string> words, std::vector<std::string> variables) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return {};
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    std::vector<char*> arguments;
    std::vector<char*> environment;
    arguments.reserve(words.size() + 1);
    environment.reserve(variables.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    for (std::string& variable : variables) {
        environment.push_back(variable.data());
    }
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    pid_t child = 0;
    const int error =
        ::posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t bytes = 0; error == 0;) {
        bytes = ::read(ends[0], part.data(), part.size());
        if (bytes > 0) {
            text.append(part.data(), static_cast<std::size_t>(bytes));
        } else if (bytes == 0 || errno != EINTR) {
            break;
        }
    }
    ::close(ends[0]);
    while (error == 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

/// Returns: the files that the loader would map for the program, including the user's preloaded ones. Empty if the loader
/// fails; a missing library is not listed.
/// Effects: starts the loader, which runs no code of the program.
/// Requires: `loader` belongs to the GNU C library.
std::vector<fs::path> loaded_libraries(const fs::path& program, const fs::path& loader) {
    std::vector<std::string> variables{"LD_TRACE_LOADED_OBJECTS=1"};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    // The loader would search for a name without a slash as a library.
    const std::string file = fs::absolute(program).string();
    std::istringstream lines(run_command({loader.string(), file}, std::move(variables)));
    std::vector<fs::path> libraries;
    // "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f58f36ac000)", or a path alone
    for (std::string line; std::getline(lines, line);) {
        const std::size_t end = line.rfind(" (0x");
        const std::size_t arrow = line.find(" => ");
        const std::size_t begin = arrow == std::string::npos ? line.find_first_not_of(" \t") : arrow + 4;
        if (end != std::string::npos && begin < end &&
            line.substr(begin, end - begin).find('/') != std::string::npos) {
            libraries.emplace_back(line.substr(begin, end - begin));
        }
    }
    return libraries;
}

constexpr std::array<std::string_view, 5> standard_libraries{"libc.so", "libstdc++.so", "libc++.so",
                                                             "libc++abi.so", "ld-linux"};
constexpr std::array<std::string_view, 7> sanitizer_libraries{
    "libasan", "libtsan", "libmsan", "liblsan", "libhwasan", "libclang_rt.", "libmemprof"};

bool starts_with_any(const std::string& name, const auto& beginnings) {
    return std::ranges::any_of(beginnings,
                               [&](std::string_view beginning) { return name.starts_with(beginning); });
}

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
    throw failure("'" + file.string() + "' cannot be recorded: it " + reason);
}

void refuse_elevated_rights(const fs::path& file) {
    struct ::stat info{};
    if (::stat(file.c_str(), &info) != 0) {
        return;
    }
    const std::string remedy = ", and the loader preloads nothing there; record a copy without these rights: "
                               "cp " +
                               file.string() + " FILE";
    if ((info.st_mode & S_ISUID) != 0) {
        refuse(file, "runs with its owner's rights (setuid)" + remedy);
    }
    if ((info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0) {
        refuse(file, "runs with its group's rights (setgid)" + remedy);
    }
    if (::getxattr(file.c_str(), "security.capability", nullptr, 0) > 0) {
        refuse(file, "has capabilities (getcap shows them)" + remedy);
    }
}

std::string sanitizer_in(const std::set<std::string>& symbols) {
    for (const std::string& name : symbols) {
        if (name.starts_with("__")) {
            return name;
        }
    }
    return {};
}

void refuse_sanitizers(const fs::path& program, const elf_file& elf) {
    for (const auto* const symbols : {&elf.exported, &elf.internal}) {
        if (const std::string name = sanitizer_in(*symbols); !name.empty()) {
            refuse(program, "was built with a sanitizer, which has its own malloc (" + name +
                                "); build it without -fsanitize");
        }
    }
}

void refuse_foreign_files(const fs::path& file, const elf_file& elf) {
    if (!elf.is_elf) {
        refuse(file, "is neither a program (ELF) nor a script that begins with #!");
    }
    if (!elf.is_for_this_machine()) {
        refuse(file,
               "is " + elf.kind() + "; the recorder is for 64-bit programs for " + recorder::arch::name);
    }
    if (elf.interpreter.empty()) {
        refuse(file, "is statically linked, so no library can be preloaded; link it without -static, or with "
                     "mallard::recorder, which records its scopes and pools");
    }
    if (fs::path(elf.interpreter).filename() != recorder::arch::glibc_loader) {
        refuse(file, "is loaded by '" + elf.interpreter + "', not by that of the GNU C library");
    }
}

/// Returns: true for a static program that is linked with the recorder.
bool records_itself(const elf_file& elf) {
    const char* const symbol = "mallard_record_functions";
    return elf.is_elf && elf.is_for_this_machine() && elf.interpreter.empty() &&
           (elf.exported.contains(symbol) || elf.internal.contains(symbol));
}

/// Calls within a program's own file are bound at link time, and it precedes every preloaded library.
void check_own_allocator(const fs::path& file, const elf_file& elf, std::vector<std::string>& notes) {
    if (elf.exported.contains("malloc")) {
        refuse(file, "has its own malloc, linked into it. A preloaded library comes after the program's own "
                     "functions and would see nothing; link it with the malloc of the C library");
    }
    if (elf.internal.contains("malloc")) {
        notes.push_back("'" + file.string() +
                        "' has its own malloc, hidden in it: only the calls of its libraries "
                        "are recorded");
    }
    if (elf.exported.contains("_Znwm") || elf.internal.contains("_Znwm")) {
        notes.push_back("'" + file.string() +
                        "' has its own operator new, linked into it: the memory that it takes from malloc is "
                        "recorded; blocks from elsewhere are not");
    }
}

void check_library(const fs::path& program, const fs::path& library, std::vector<std::string>& notes) {
    const std::string name = library.filename().string();
    if (starts_with_any(name, sanitizer_libraries)) {
        refuse(program, "was built with a sanitizer, which has its own malloc (" + name +
                            "); build it without -fsanitize");
    }
    if (starts_with_any(name, standard_libraries)) {
        return;
    }
    const elf_file elf = elf_file::read(library);
    if (const std::string symbol = sanitizer_in(elf.exported); !symbol.empty()) {
        refuse(program, "needs " + name + ", which was built with a sanitizer (" + symbol +
                            "); build it without -fsanitize");
    }
    const bool own_malloc = elf.exported.contains("malloc");
    const bool own_operator = elf.exported.contains("_Znwm");
    if (!own_malloc && !own_operator) {
        return;
    }
    const std::string function = own_malloc ? "malloc" : "operator new";
    std::string note = function + " comes from " + name + ": calls are recorded and forwarded to it";
    note += own_malloc ? "; calls of its other functions (such as mallocx or mi_malloc) are not"
                       : "; memory that it takes from malloc is recorded too";
    if (elf.is_symbolic) {
        note += "; its internal calls are not (-Bsymbolic)";
    }
    notes.push_back(note);
}

} // namespace

std::vector<std::string> check_program(const command& program) {
    std::vector<std::string> notes;
    refuse_elevated_rights(program.elf);
    const elf_file elf = elf_file::read(program.elf);
    if (!elf.is_elf && ::access(program.elf.c_str(), R_OK) != 0) {
        notes.push_back("'" + program.elf.string() + "' cannot be read, so it was not checked");
        return notes;
    }
    if (records_itself(elf)) {
        notes.push_back(
            "'" + program.elf.string() +
            "' is statically linked with mallard::recorder: its scopes and pools are recorded, its calls of "
            "malloc are not");
        return notes;
    }
    refuse_foreign_files(program.elf, elf);
    refuse_sanitizers(program.elf, elf);
    check_own_allocator(program.elf, elf, notes);
    for (const fs::path& library : loaded_libraries(program.elf, elf.interpreter)) {
        check_library(program.elf, library, notes);
    }
    return notes;
}

std::vector<std::string> check_running(const fs::path& program, const std::vector<fs::path>& libraries,
                                       std::vector<fs::path>& with_malloc) {
    std::vector<std::string> notes;
    const elf_file elf = elf_file::read(program);
    refuse_foreign_files(program, elf);
    refuse_sanitizers(program, elf);
    check_own_allocator(program, elf, notes);
    for (const fs::path& library : libraries) {
        if (library.filename().string().starts_with("libmallard_record")) {
            continue;
        }
        check_library(program, library, notes);
        if (elf_file::read(library).exported.contains("malloc")) {
            with_malloc.push_back(library);
        }
    }
    return notes;
}

std::string reason_for_no_event(const std::string& program) {
    const elf_file elf = elf_file::read(program);
    if (!sanitizer_in(elf.exported).empty() || !sanitizer_in(elf.internal).empty()) {
        return "was built with a sanitizer, which has its own malloc";
    }
    return elf.exported.contains("malloc") || elf.internal.contains("malloc") ? "has its own malloc" : "";
}

} // namespace mallard::collector
