/// The facts of an ELF file: its machine, its loader, the symbols that matter for a recording.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace mallard::collect {

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
    static elf_file read(const std::filesystem::path& path);

    [[nodiscard]] bool is_for_this_machine() const noexcept;
    /// Returns: a text for an error, such as "a 32-bit program for i386".
    [[nodiscard]] std::string kind() const;
};

} // namespace mallard::collect
