/// Maps addresses of code to names: the function, file and line of an address, and the functions that are inlined
/// there.
///
///     address -> loaded file -> symbol, or range of .eh_frame -> function
///                            -> DWARF                         -> places: inlined functions, files, lines
///
/// Data model: the loaded files of a process by address. Loads of one file share an `object_file`, which is opened at
/// the first lookup of one of its addresses. Functions are numbered in the order of their first lookup.
/// Invariants: all addresses of a function have its number, including its separate parts (`.cold`) and its clones
/// (`.constprop`, `.isra`, `.part`). DWARF is read only for `at`, `places` and `inlined`.
/// Not thread-safe.
#pragma once

#include "profiler/symbols/source_lines.hpp"
#include "trace/event.hpp"

#include <cstddef>
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
    std::string short_name; ///< without parameters and default template arguments
    std::string object;     ///< name of the loaded file, without its folder
    std::string file;       ///< of the source; empty if there is no DWARF
    unsigned line = 0;
};

/// A function at an address: the compiled one, or one that is inlined into it.
struct place {
    std::string name; ///< demangled
    std::string short_name;
    std::string file; ///< of the source; empty if there is no DWARF
    unsigned line = 0;
    bool inlined = false;
};

/// A function that is inlined at an address.
struct inlined_place {
    function_id function = 0;
    std::size_t index = 0;   ///< in `places`, from the end
    std::uint64_t begin = 0; ///< the lowest address of the inlined code
    friend bool operator==(const inlined_place&, const inlined_place&) = default;
};

/// A loaded file.
struct loaded_object {
    std::string name; ///< without its folder
    std::string path; ///< on this machine; the recorded one if the file is missing
    bool is_readable = false;
    bool has_lines = false; ///< there is DWARF
};

class code_map {
public:
    /// Requires: `files` outlives the map. `executable` is the path of the main program, whose `path` may be empty in
    /// `files`.
    explicit code_map(std::span<const trace::code_file> files, const std::string& executable = {});
    code_map(const code_map&) = delete;
    code_map& operator=(const code_map&) = delete;
    ~code_map();

    /// Returns: the address to look up for a level of `trace::context_tree`: inside the call instruction, not behind
    /// it.
    [[nodiscard]] static constexpr std::uint64_t call_instruction(std::uint64_t level) noexcept {
        if ((level & trace::interrupted_level) != 0) {
            return level & ~trace::interrupted_level;
        }
        return level == 0 ? 0 : level - 1;
    }

    /// Returns: the function of the address. All code outside of files is one function, `unknown code`; address 0 is
    /// `levels left out`.
    /// Complexity: O(1) if the address was looked up before, else O(log n) in the file's functions.
    function_id function_at(std::uint64_t instruction_address);

    /// Effects: reads the function's line from DWARF, once.
    /// Returns: the function; the reference stays valid.
    const function& at(function_id id);

    /// Returns: the short name, without reading DWARF.
    const std::string& short_name(function_id id);

    /// Returns: the functions at the address, the innermost inlined function first, the compiled function last. Never
    /// empty.
    std::vector<place> places(std::uint64_t instruction_address);

    /// Effects: reads DWARF, once for each address.
    /// Returns: the functions that are inlined at the address, the outermost first, without those of the standard
    /// library and of allocators. A function that was also compiled has the same number as there. The reference
    /// stays valid.
    const std::vector<inlined_place>& inlined(std::uint64_t instruction_address);

    /// Returns: the ranges of the inlined code that the address is in, with all that is inlined into it. `index` is that
    /// of an `inlined_place`.
    std::vector<code_span> inlined_code(std::uint64_t instruction_address, std::size_t index);

    /// Returns: true for functions that allocate for their caller, and do not explain the allocation: operator new,
    /// malloc and its wrappers, std::allocator, `_M_allocate`. Decided by names.
    bool is_allocator_layer(function_id id);

    /// Returns: true for functions of the standard library, and of allocators. Decided by names.
    bool is_standard_library(function_id id);

    /// Returns: the demangled names of all functions of the loaded files whose symbols contain the text. Functions
    /// that are inlined everywhere need DWARF.
    std::set<std::string> names_containing(std::string_view text);

    /// The number of functions so far; their numbers are smaller.
    [[nodiscard]] std::size_t functions() const noexcept;

    /// Returns: the loaded file with that index in `files`.
    loaded_object object(std::size_t file);

    /// Returns: the index in `files` of the file at the address; the number of files if there is none.
    [[nodiscard]] std::size_t file_at(std::uint64_t address) const noexcept;

    /// The causes of missing names so far: a line for each file that is missing or was changed after the recording.
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace mallard::advisor
