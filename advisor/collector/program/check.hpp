/// Checks that a program can be recorded. Refuses programs that would give an empty or wrong recording.
#pragma once

#include "collector/program/command.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collector {

/// Returns: notes on the program's own allocators: which calls are recorded.
/// Throws: failure with the reason if the program cannot be recorded.
std::vector<std::string> check_program(const command& program);

/// Returns: the same for a running program, which has loaded these libraries. Stores those that have a malloc.
std::vector<std::string> check_running(const std::filesystem::path& program,
                                       const std::vector<std::filesystem::path>& libraries,
                                       std::vector<std::filesystem::path>& with_malloc);

/// Returns: the reason why a program that ran with the recorder has no event; empty if its file shows none.
std::string reason_for_no_event(const std::string& program);

} // namespace mallard::collector
