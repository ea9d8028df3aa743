/// A code file on this machine: its functions by address, from its symbols and from .eh_frame.
///
///     symbols, sorted:  | a | b            | d |      An address belongs to the last symbol that begins at or before it
///                           | c (in b) |              and reaches so far, else to that symbol's parent.
///     .eh_frame:        the ranges of functions without a symbol
///
/// Addresses are the file's own, without the load address. Symbols of a separate debug file are included.
/// Invariant: the file is opened at the first lookup, and DWARF is not read before `lines()`.
/// Not thread-safe.
#pragma once

#include "profiler/symbols/frame_ranges.hpp"
#include "profiler/symbols/source_lines.hpp"
#include "profiler/symbols/symbol_table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace mallard::advisor {

enum class file_state : std::uint8_t { readable, missing, changed, unreadable };

class object_file {
public:
    /// The file as the trace identifies it.
    struct identity {
        std::string path;
        std::string build_id;    ///< bytes
        std::uint64_t begin = 0; ///< the loaded addresses, as offsets in the file's address space
        std::uint64_t end = 0;
        friend bool operator==(const identity&, const identity&) = default;
    };
    struct code_function {
        std::uint64_t begin = 0; ///< of the function; of its main part, if it has several
        std::string_view symbol; ///< without suffixes of clones; empty if there is none. The file owns it.
        bool known = false;      ///< false if the address has no known function
    };

    explicit object_file(identity recorded);
    object_file(const object_file&) = delete;
    object_file& operator=(const object_file&) = delete;
    ~object_file();

    /// Effects: opens the file, the first time. A missing file is also searched by its build-id.
    file_state state();
    /// Returns: the path of the opened file; the recorded path if none could be opened.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const identity& recorded() const noexcept { return recorded_; }

    /// Complexity: O(log n) in the symbols, once they are read.
    code_function function_at(std::uint64_t address);
    /// Returns: the symbols of functions that contain the text, inlined functions included; empty if the file is not
    /// readable.
    std::set<std::string> symbols_containing(std::string_view text);
    /// Returns: the compiled function of the same source as an inlined one (`source_lines::inlined_at`), because other
    /// calls of it are not inlined; unknown if there is none.
    /// Requires: state() is readable.
    code_function compiled_copy(std::uint64_t address, std::size_t index);
    /// Requires: state() is readable.
    source_lines& lines();

private:
    struct session;

    symbol_table& symbols();

    file_state open();
    file_state compare_with_disk();
    bool open_by_build_id();
    bool open_path();

    identity recorded_;
    std::string path_;
    std::unique_ptr<session> session_;
    std::unique_ptr<symbol_table> symbols_;
    std::unique_ptr<frame_ranges> frames_;
    std::unique_ptr<source_lines> lines_;
    file_state state_ = file_state::missing;
    bool opened_ = false;
};

} // namespace mallard::advisor
