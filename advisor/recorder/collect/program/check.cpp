#include "recorder/collect/program/check.hpp"

#include "recorder/collect/failure.hpp"
#include "recorder/collect/program/elf_file.hpp"
#include "recorder/collect/program/loaded_libraries.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mallard::collect {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view glibc_loader = "ld-linux-x86-64.so.2";
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
        refuse(file, "is " + elf.kind() + "; the recorder is for 64-bit programs for x86-64");
    }
    if (elf.interpreter.empty()) {
        refuse(file, "is statically linked, so no library can be preloaded; link it without -static, or with "
                     "mallard::recorder, which records its scopes and pools");
    }
    if (fs::path(elf.interpreter).filename() != glibc_loader) {
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

std::string reason_for_no_event(const std::string& program) {
    const elf_file elf = elf_file::read(program);
    if (!sanitizer_in(elf.exported).empty() || !sanitizer_in(elf.internal).empty()) {
        return "was built with a sanitizer, which has its own malloc";
    }
    return elf.exported.contains("malloc") || elf.internal.contains("malloc") ? "has its own malloc" : "";
}

} // namespace mallard::collect
