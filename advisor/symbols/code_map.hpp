/// Names for addresses of code: which function has an address, in which file and line, and which functions are
/// inlined there.
///
///     address -> loaded file -> symbol, or range of .eh_frame -> function
///                            -> DWARF                         -> places: inlined functions, files, lines
///
/// Data model: the loaded files of a process by address. Loads of one file share an `object_file`, which is opened when
/// the first of its addresses is asked for. Functions are numbered in the order in which they were first found.
/// Invariants: all addresses of a function have its number, those of its parts that lie apart (`.cold`) and of its clones
/// (`.constprop`, `.isra`, `.part`) as well. DWARF is read only for `at`, and for `places`.
/// Not thread-safe.
#pragma once

#include "trace/event.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::advisor {

using function_id = std::uint32_t;

struct function {
    std::string name;       ///< demangled; `object+0x1234` if there is no symbol
    std::string short_name; ///< without the list of parameters and what is usual of template arguments
    std::string object;     ///< name of the loaded file, without its folder
    std::string file;       ///< of the source; empty if there is no DWARF
    unsigned line = 0;
};

/// One function at an address: the one that was compiled, or one that is inlined into it.
struct place {
    std::string name; ///< demangled
    std::string short_name;
    std::string file; ///< of the source; empty if there is no DWARF
    unsigned line = 0;
    bool inlined = false;
};

/// What the map knows of a loaded file.
struct loaded_object {
    std::string name; ///< without its folder
    std::string path; ///< where it was found on this machine; where it was recorded, if it was not found
    bool found = false;
    bool has_lines = false; ///< there is DWARF
};

class code_map {
public:
    /// Requires: `files` stay as long as the map does. `executable` is the path of the main program, whose `path` may be
    /// empty in `files`.
    explicit code_map(std::span<const trace::code_file> files, std::string executable = {});
    code_map(const code_map&) = delete;
    code_map& operator=(const code_map&) = delete;
    ~code_map();

    /// Returns: the address to ask for, of a level as `trace::context_tree` has it: in the call, and not behind it.
    [[nodiscard]] static constexpr std::uint64_t instruction_of(std::uint64_t level) noexcept {
        if ((level & trace::interrupted_level) != 0) {
            return level & ~trace::interrupted_level;
        }
        return level == 0 ? 0 : level - 1;
    }

    /// Returns: the function that has this address. All code that is in no file is one function, `unknown code`; address
    /// 0 is `levels left out`.
    /// Complexity: O(1) if the address was asked for before, else O(log n) of the file's functions.
    function_id function_at(std::uint64_t instruction_address);

    /// Effects: looks for the function's line in DWARF, once.
    /// Returns: what is known of it. It stays where it is.
    const function& at(function_id which);

    /// Returns: the short name. No DWARF is read for it.
    const std::string& short_name(function_id which);

    /// Returns: the functions at the address, the innermost inlined one first, the compiled one last. Never empty.
    std::vector<place> places(std::uint64_t instruction_address);

    /// Returns: true for functions that allocate for their caller, and say nothing of the reason: operator new, malloc
    /// and functions around it, std::allocator, `_M_allocate`. Names decide.
    bool is_allocator_layer(function_id which);

    /// Returns: true for functions of the standard library, and of allocators. Names decide.
    bool is_standard_library(function_id which);

    /// Returns: the names of all functions of the loaded files, demangled, whose symbols contain the text. Functions that
    /// are inlined everywhere count if there is DWARF.
    std::set<std::string> names_with(std::string_view text);

    /// Functions that were found so far; their numbers are below.
    [[nodiscard]] std::size_t functions() const noexcept;

    /// Returns: what is known of a loaded file, by its place in `files`.
    loaded_object object(std::size_t file);

    /// Returns: the place in `files` of the file that has the address; their number if none has it.
    [[nodiscard]] std::size_t file_at(std::uint64_t address) const noexcept;

    /// What was found so far, and makes names worse: a line a file that is missing or was changed after the recording.
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace mallard::advisor
