/// Lines and inlined functions, from the DWARF of one file.
///
///     units, by address -> unit: codes, by address: | function          |
///                                                     | inlined | | inlined |
///                                                       | inlined |
///
/// Data model: the ranges of compilation units, read at the first lookup. The function tree of a unit is read at the
/// first lookup in it, and kept. A code refers to the enclosing one as its parent.
/// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

struct Dwfl_Module;

namespace mallard::advisor {

struct source_place {
    std::string symbol; ///< the linker's name, or else the source's; empty without both
    std::string file;
    unsigned line = 0;
    bool inlined = false;
};

/// A function that is inlined at an address.
struct inlined_function {
    const void* identity = nullptr; ///< equal for all calls of the function in one compilation unit
    std::uint64_t begin = 0;        ///< the lowest address of the inlined code
};

struct code_span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

class source_lines {
public:
    /// Requires: the module outlives the object.
    explicit source_lines(Dwfl_Module* module);
    source_lines(const source_lines&) = delete;
    source_lines& operator=(const source_lines&) = delete;
    ~source_lines();

    /// Returns: false if there is no DWARF.
    [[nodiscard]] bool has_dwarf();

    /// Returns: the functions at the address, the innermost inlined function first, the compiled function last; empty
    /// if DWARF does not cover the address.
    std::vector<source_place> at(std::uint64_t address);

    /// Returns: the declaration of the compiled function at the address.
    source_place declaration(std::uint64_t address);

    /// Returns: the functions that are inlined at the address, the outermost first.
    std::vector<inlined_function> inlined_at(std::uint64_t address);
    /// Returns: the declaration of an inlined function, by its index in inlined_at().
    source_place inlined_declaration(std::uint64_t address, std::size_t index);
    /// Returns: the ranges of the inlined code that the address is in, with all that is inlined into it.
    std::vector<code_span> inlined_code(std::uint64_t address, std::size_t index);
    /// Returns: the begin of a function of the same compilation unit that was compiled from the same source as an inlined
    /// one, because other calls of it are not inlined; nothing if there is none.
    std::optional<std::uint64_t> compiled_copy(std::uint64_t address, std::size_t index);

    /// Returns: the symbols of inlined functions that contain the text.
    /// Complexity: reads all of the DWARF.
    std::set<std::string> inlined_containing(std::string_view text);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace mallard::advisor
