/// The input of Benchmark I, drawn before the clock starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// The parts of DS1..DS12: an outer container, perhaps an inner one, and leaves (P0089R1, table 2).
enum class container { none, vector, unordered_set };
enum class leaf { integer, string };

struct data_structure {
    std::string name;
    container outer;
    container inner; ///< none: the outer container holds the leaves
    leaf leaves;

    [[nodiscard]] std::string type() const;
};

[[nodiscard]] const std::vector<data_structure>& data_structures();

/// The leaves of one structure. A string leaf is a copy of `length` characters of a random text; an integer
/// leaf is its own number.
class density_input {
public:
    static constexpr std::size_t shortest_string = 33;
    static constexpr std::size_t longest_string = 1000;

    /// Effects: if the leaves are strings, draws their lengths uniformly from `seed`.
    density_input(const data_structure& ds, unsigned size_log2, unsigned inner_log2, std::uint64_t seed);

    [[nodiscard]] std::size_t elements() const noexcept { return elements_; }
    [[nodiscard]] std::size_t leaves_an_element() const noexcept { return leaves_an_element_; }
    [[nodiscard]] std::size_t leaves() const noexcept { return elements_ * leaves_an_element_; }

    /// Each leaf begins one character after its predecessor. This makes 2^16 different strings from a text that
    /// fits into the first-level cache.
    [[nodiscard]] const char* text(std::size_t leaf) const noexcept { return text_.data() + (leaf & 0xffff); }
    [[nodiscard]] std::size_t length(std::size_t leaf) const noexcept { return lengths_[leaf]; }

    /// Returns: an upper bound of the bytes of the structure under any strategy, without the unused parts of
    /// chunks.
    [[nodiscard]] std::size_t bytes_bound() const noexcept { return bytes_bound_; }

private:
    std::size_t elements_;
    std::size_t leaves_an_element_;
    std::size_t bytes_bound_ = 4096;
    std::string text_;
    std::vector<std::uint16_t> lengths_;
};

} // namespace bench
