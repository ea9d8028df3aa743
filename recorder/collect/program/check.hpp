/// Can the program be recorded? Refuses those that would give an empty or a wrong recording.
#pragma once

#include "recorder/collect/program/command.hpp"

#include <string>
#include <vector>

namespace mallard::collect {

/// Returns: notes on allocators that the program brings along: what is recorded then, and what is not.
/// Throws: failure with the reason if the program cannot be recorded.
std::vector<std::string> check_program(const command& program);

/// Returns: in words, why a program that has run with the recorder has no event; empty if its file tells no reason.
std::string reason_for_no_event(const std::string& program);

} // namespace mallard::collect
