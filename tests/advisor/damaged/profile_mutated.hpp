/// The advisor on traces that are damaged at random, and that a reader reads all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::test {

/// Effects: makes a profile of each process of the trace, and writes it in each format of the exports.
/// Returns: true if the trace was read to its end, false if the reader refused it.
/// Throws: another error than trace_error if the advisor is wrong.
bool profile_all(const std::vector<std::byte>& trace);

/// Effects: does so with that many damaged traces.
/// Returns: the number of those that were read to their end.
std::uint64_t profile_mutated(std::uint64_t seed, std::uint64_t count);

} // namespace mallard::test
