/// Lines and inlined functions, from the DWARF of one file.
///
///     units, by address -> unit: codes, by address: | function          |
///                                                     | inlined | | inlined |
///                                                       | inlined |
///
/// Data model: the ranges of compilation units, read at the first question. Each unit's tree of functions is read when
/// the first of its addresses is asked for, and kept. A code names the one around it as its parent.
/// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

struct Dwfl_Module;

namespace mallard::advisor {

struct source_place {
    std::string
        symbol; ///< the linker's name, or the source's if there is no other; empty if there is neither
    std::string file;
    unsigned line = 0;
    bool inlined = false;
};

class source_lines {
public:
    /// Requires: the module stays as long as this does.
    explicit source_lines(Dwfl_Module* module);
    source_lines(const source_lines&) = delete;
    source_lines& operator=(const source_lines&) = delete;
    ~source_lines();

    /// Returns: false if there is no DWARF.
    [[nodiscard]] bool are_there();

    /// Returns: the functions at the address, the innermost inlined one first, the compiled one last; none if DWARF does
    /// not have the address.
    std::vector<source_place> at(std::uint64_t address);

    /// Returns: where the compiled function that has the address is declared.
    source_place declaration_of(std::uint64_t address);

    /// Returns: the symbols of inlined functions that contain the text.
    /// Complexity: reads all of the DWARF.
    std::set<std::string> inlined_containing(std::string_view text);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace mallard::advisor
