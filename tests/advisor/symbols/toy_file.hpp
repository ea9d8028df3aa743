/// A toy on the disk, loaded to an address that a test chooses.
#pragma once

#include "trace/event.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mallard::advisor::tests {

/// The build-id that all toys have.
inline const std::string toy_build_id = "mallards";

std::string toy_path(const std::string& name);

/// What a recording says of the file. Its first address is `load_address` plus the first in the file.
/// Throws: std::runtime_error if there is no such file.
trace::code_file loaded(const std::string& path, std::uint64_t load_address);

/// The code of a file, as it counts addresses.
std::pair<std::uint64_t, std::uint64_t> code_of(const std::string& path);

/// Addresses in the code, `step` bytes apart.
std::vector<std::uint64_t> addresses_of(const std::string& path, std::uint64_t step);

std::vector<char> bytes_of(const std::string& path);

} // namespace mallard::advisor::tests
