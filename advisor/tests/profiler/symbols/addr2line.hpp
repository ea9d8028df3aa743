/// The functions of addresses according to binutils.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mallard::advisor::tests {

struct line_of_code {
    std::string function;
    std::string file; ///< without its folder
    unsigned line = 0;
    friend bool operator==(const line_of_code&, const line_of_code&) = default;
};

/// Returns: for each address, its functions from the innermost inlined one outwards.
/// Throws: std::runtime_error if addr2line cannot be started.
std::vector<std::vector<line_of_code>> addr2line(const std::string& file,
                                                 const std::vector<std::uint64_t>& addresses);

} // namespace mallard::advisor::tests
