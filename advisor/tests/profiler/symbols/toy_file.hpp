/// A toy on the disk, loaded at an address that the test chooses.
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

/// Returns: the file as in a recording. Its first address is `load_address` plus the first address in the file.
/// Throws: std::runtime_error if the file does not exist.
trace::code_file loaded(const std::string& path, std::uint64_t load_address);

/// Returns: the range of the file's code, without the load address.
std::pair<std::uint64_t, std::uint64_t> code_range(const std::string& path);

/// Returns: addresses in the code, `step` bytes apart.
std::vector<std::uint64_t> code_addresses(const std::string& path, std::uint64_t step);

std::vector<char> read_bytes(const std::string& path);

} // namespace mallard::advisor::tests
