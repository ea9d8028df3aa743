/// Runs the advisor on randomly damaged traces that a reader accepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::test {

/// Effects: profiles each process of the trace, and exports its stacks and its history.
/// Returns: true if the trace was read to its end, false if the reader refused it.
/// Throws: any other error than trace_error is a bug of the advisor.
bool profile_all(const std::vector<std::byte>& trace);

/// Effects: calls `profile_all` with `count` damaged traces.
/// Returns: the number of traces that were read to their end.
std::uint64_t profile_mutated(std::uint64_t seed, std::uint64_t count);

} // namespace mallard::test
