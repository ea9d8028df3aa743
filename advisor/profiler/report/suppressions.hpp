/// Suppressions of leaks, in the format of LeakSanitizer: a line `leak:PATTERN` each, and comments behind `#`.
///
/// A pattern is a part of the name of a function, source file or object file. `*` stands for any text, `^` in front and
/// `$` at the end for the ends of the name.
#pragma once

#include "profiler/report/code_names.hpp"
#include "trace/context_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

/// The text has the file, the line and the allowed lines.
class wrong_suppression : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns: the patterns, in their order.
/// Throws: wrong_suppression for another line.
std::vector<std::string> read_suppressions(std::istream& from, const std::string& file);

bool matches_suppression(std::string_view pattern, std::string_view name);

class suppressions {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// Requires: all arguments outlive the object.
    suppressions(std::span<const std::string> patterns, code_names& names,
                 const trace::context_tree& contexts)
        : patterns_(patterns), names_(&names), contexts_(&contexts) {}

    /// Returns: the first pattern that matches the innermost level with one; `none` if no level has one.
    std::size_t find(trace::context_id stack);

private:
    std::size_t find_at_level(std::uint64_t level);

    std::span<const std::string> patterns_;
    code_names* names_;
    const trace::context_tree* contexts_;
    std::unordered_map<std::uint64_t, std::size_t> by_level_;
};

} // namespace mallard::advisor
