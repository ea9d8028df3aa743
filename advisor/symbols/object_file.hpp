/// A file of code on this machine: its functions by address, from its symbols and from .eh_frame.
///
///     symbols, sorted:  | a | b            | d |      An address belongs to the last symbol that begins at or before it
///                           | c (in b) |              and reaches so far, else to that symbol's parent.
///     .eh_frame:        the ranges of functions without a symbol
///
/// Addresses are the file's own, as they stand in it. Symbols of a separate file with debug information count too.
/// Invariant: nothing is read of a file before the first question, and no DWARF before `lines()`.
/// Not thread-safe.
#pragma once

#include "advisor/symbols/frame_ranges.hpp"
#include "advisor/symbols/source_lines.hpp"
#include "advisor/symbols/symbol_table.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace mallard::advisor {

enum class file_state : std::uint8_t { readable, missing, changed, unreadable };

class object_file {
public:
    /// What the trace knows of the file.
    struct identity {
        std::string path;
        std::string build_id;    ///< bytes
        std::uint64_t begin = 0; ///< the addresses that it was loaded to, as the file counts them
        std::uint64_t end = 0;
        friend bool operator==(const identity&, const identity&) = default;
    };
    struct code_function {
        std::uint64_t begin = 0; ///< of the function; of its main part, if it has several
        std::string_view
            symbol; ///< without suffixes of clones; empty if there is none. Stays as long as the file does.
        bool known = false; ///< false if no function is known at the address
    };

    explicit object_file(identity recorded);
    object_file(const object_file&) = delete;
    object_file& operator=(const object_file&) = delete;
    ~object_file();

    /// Effects: opens the file, the first time. A file that is missing is looked for by its build-id, too.
    file_state state();
    /// Returns: the path of the file that was opened; the recorded one if none was.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const identity& recorded() const noexcept { return recorded_; }

    /// Complexity: O(log n) of the symbols, once they are read.
    code_function function_at(std::uint64_t address);
    /// Returns: the symbols of functions, inlined ones included, that contain the text; none if the file is not readable.
    std::set<std::string> symbols_containing(std::string_view text);
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
    bool asked_ = false;
};

} // namespace mallard::advisor
