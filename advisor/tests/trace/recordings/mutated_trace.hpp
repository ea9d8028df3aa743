/// Traces with random damage, from a seed: in their bytes, and in the compressed contents of their frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace mallard::test {

class trace_mutator {
public:
    explicit trace_mutator(std::uint64_t seed);

    /// Returns: one of a few small traces, damaged. Most have correct checksums, so that the damage reaches the decoders.
    std::vector<std::byte> next();

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    void mutate(std::vector<std::byte>& bytes, std::size_t begin);
    void mutate_frame(std::vector<std::byte>& file);

    std::mt19937_64 random_;
    std::vector<std::vector<std::byte>> traces_;
};

/// Effects: reads the entire trace.
/// Returns: true if it was read to the end, false if the reader refused it.
/// Throws: another error than trace_error if the reader has a bug.
bool read_all(const std::vector<std::byte>& trace);

/// Effects: reads `count` damaged traces.
/// Returns: the number of traces read to the end.
std::uint64_t read_mutated(std::uint64_t seed, std::uint64_t count);

} // namespace mallard::test
