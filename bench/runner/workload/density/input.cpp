#include "runner/workload/density/input.hpp"

#include <random>

namespace bench {

namespace {

std::string container_name(container c, const std::string& element) {
    return (c == container::vector ? "vector<" : "unordered_set<") + element + ">";
}

} // namespace

std::string data_structure::type() const {
    const std::string element = leaves == leaf::integer ? "int" : "string";
    return container_name(outer, inner == container::none ? element : container_name(inner, element));
}

const std::vector<data_structure>& data_structures() {
    static const std::vector<data_structure> all = [] {
        std::vector<data_structure> table;
        const auto add = [&table](container outer, container inner, leaf leaves) {
            table.push_back({"DS" + std::to_string(table.size() + 1), outer, inner, leaves});
        };
        using enum container;
        for (const container outer : {vector, unordered_set}) {
            add(outer, none, leaf::integer);
            add(outer, none, leaf::string);
        }
        for (const container outer : {vector, unordered_set}) {
            for (const container inner : {vector, unordered_set}) {
                add(outer, inner, leaf::integer);
                add(outer, inner, leaf::string);
            }
        }
        return table;
    }();
    return all;
}

density_input::density_input(const data_structure& ds, unsigned size_log2, unsigned inner_log2,
                             std::uint64_t seed)
    : elements_(std::size_t{1} << size_log2),
      leaves_an_element_(ds.inner == container::none ? 1 : std::size_t{1} << inner_log2) {
    // A container: the object, its nodes and buckets, with padding. A string: its object and its characters.
    constexpr std::size_t bytes_a_container = 512;
    constexpr std::size_t bytes_a_leaf = 96;
    bytes_bound_ +=
        elements_ * (ds.inner == container::none ? 0 : bytes_a_container) + leaves() * bytes_a_leaf;
    if (ds.leaves == leaf::integer) {
        return;
    }

    // The standard's engines draw equal numbers everywhere; its distributions need not.
    std::mt19937_64 engine(seed);
    text_.resize((1U << 16) + longest_string);
    for (char& c : text_) {
        c = static_cast<char>('!' + engine() % 94);
    }
    lengths_.resize(leaves());
    for (std::uint16_t& length : lengths_) {
        length =
            static_cast<std::uint16_t>(shortest_string + engine() % (longest_string - shortest_string + 1));
        bytes_bound_ += length;
    }
}

} // namespace bench
