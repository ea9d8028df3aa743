/// The names of code for a report, from symbols of files or, in tests, from a list.
#pragma once

#include "profiler/scopes/scope_totals.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::advisor {

struct function_info {
    std::string name; ///< demangled
    std::string short_name;
    std::string object;
    std::string file; ///< empty if unknown
    unsigned line = 0;
};

/// A line of code in the compiled function, or in a function that was inlined into it.
struct named_place {
    std::string name;
    std::string short_name;
    std::string file;
    unsigned line = 0;
    bool inlined = false;
    scope_id function = no_scope; ///< if it can be a scope
};

/// An instruction by its file, independent of load addresses.
struct place_in_file {
    std::string path;         ///< empty for the program itself
    std::uint64_t offset = 0; ///< from the address at which the file is loaded
};

/// Code of a file, as offsets from the address at which it is loaded.
struct code_in_file {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    friend auto operator<=>(const code_in_file&, const code_in_file&) = default;
};

/// A level is that of a trace, or of `inlined_stacks`.
class code_names {
public:
    code_names() = default;
    code_names(const code_names&) = delete;
    code_names& operator=(const code_names&) = delete;
    virtual ~code_names() = default;

    /// Returns: the function of the level, an address of a context.
    virtual scope_id function_at(std::uint64_t level) = 0;
    virtual function_info function(scope_id id) = 0;
    virtual std::string short_name(scope_id id) = 0;
    /// Returns: the places at the level, the innermost inlined function first, the level's function last. Never empty.
    virtual std::vector<named_place> places(std::uint64_t level) = 0;
    /// Returns: true for functions of the standard library and functions that allocate for their caller.
    virtual bool is_library(scope_id id) = 0;
    virtual bool is_library_name(std::string_view short_name) = 0;
    /// Returns: the instruction of the level; nothing if it is in no file.
    virtual std::optional<place_in_file> in_file(std::uint64_t level) = 0;
    /// Returns: the ranges of the level's function, if it is inlined there, in the file of in_file(); else nothing.
    virtual std::vector<code_in_file> inlined_code(std::uint64_t /*level*/) { return {}; }
    /// Returns: reasons for missing or imprecise names.
    virtual std::vector<std::string> warnings() { return {}; }
};

} // namespace mallard::advisor
