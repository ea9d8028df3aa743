/// Traces that are damaged at random, from a seed: their bytes, and what is compressed in their frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace mallard::test {

class trace_mutator {
public:
    explicit trace_mutator(std::uint64_t seed);

    /// Returns: one of a few small traces, damaged. Most have right checksums all the same, so that the damage is seen by
    /// the decoders, and not by the sums.
    std::vector<std::byte> next();

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    void mutate(std::vector<std::byte>& bytes, std::size_t begin);
    void mutate_frame(std::vector<std::byte>& file);

    std::mt19937_64 random_;
    std::vector<std::vector<std::byte>> traces_;
};

/// Effects: reads all of the trace.
/// Returns: true if it was read to its end, false if the reader refused it.
/// Throws: another error than trace_error if the reader is wrong.
bool read_all(const std::vector<std::byte>& trace);

/// Effects: reads so many damaged traces.
/// Returns: the number of those that were read to their end.
std::uint64_t read_mutated(std::uint64_t seed, std::uint64_t count);

} // namespace mallard::test
