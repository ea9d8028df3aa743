/// The inputs of the programs: texts, words, keys and points, drawn from a seed before the clock starts.
///
/// A program's input does not depend on the strategy, and no program frees or changes it. It lies in mappings of its own: what
/// the measured malloc had served and taken back while an input was drawn would be memory that only a malloc gets for nothing.
#pragma once

#include "runner/harness/mapped_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// How much a program keeps alive: fits into a second-level cache, or about ten times a last-level cache of 8 MiB.
enum class program_size { small, large };

struct program_input {
    mapped_memory memory;       ///< of what the input holds
    std::size_t operations = 0; ///< of a scope
    std::size_t scope = 0;      ///< the number of the scope that runs, from 0
};

/// Words of a vocabulary in an order in which few are frequent, as in text: the frequency of word k falls like 1 / k.
struct word_stream {
    std::pmr::vector<std::pmr::string> vocabulary;
    std::pmr::vector<std::uint32_t> words; ///< indices of the vocabulary

    [[nodiscard]] std::string_view at(std::size_t i) const { return vocabulary[words[i]]; }
};

/// Returns: `count` words of a vocabulary of `vocabulary` words of 3 to 40 letters.
[[nodiscard]] word_stream draw_words(std::size_t vocabulary, std::size_t count, std::uint64_t seed,
                                     std::pmr::memory_resource& memory);

/// Returns: a JSON document: an array of `records` objects with names, numbers, nested objects, and arrays.
[[nodiscard]] std::pmr::string draw_json(std::size_t records, std::uint64_t seed,
                                         std::pmr::memory_resource& memory);

/// Returns: `statements` assignments of arithmetic expressions with names, numbers and calls, each ended by a semicolon.
[[nodiscard]] std::pmr::string draw_source(std::size_t statements, std::uint64_t seed,
                                           std::pmr::memory_resource& memory);

/// Returns: `count` requests of a web server, each a line, headers, and a form of `fields` fields.
[[nodiscard]] std::pmr::vector<std::pmr::string>
draw_requests(std::size_t count, std::size_t fields, std::uint64_t seed, std::pmr::memory_resource& memory);

struct point {
    std::array<float, 3> at;
};
[[nodiscard]] std::pmr::vector<point> draw_points(std::size_t count, std::uint64_t seed,
                                                  std::pmr::memory_resource& memory);

} // namespace bench
