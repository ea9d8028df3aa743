/// The functions of one compilation unit by address, with the functions that are inlined into them.
///
/// Data model: a `code` for each address range of a function or an inlined function, sorted by begin, outer ones
/// first. Each refers to the enclosing one.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

namespace mallard::advisor {

class function_tree {
public:
    struct code {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        Dwarf_Die entry{};
        std::uint32_t depth = 0;
        std::uint32_t parent = no_parent;
        bool inlined = false;
    };

    /// Effects: reads the functions below `unit`.
    explicit function_tree(Dwarf_Die unit);

    /// Returns: the codes at the address, from the innermost one to the compiled function.
    [[nodiscard]] std::vector<const code*> at(std::uint64_t address) const;

    [[nodiscard]] const std::vector<code>& codes() const noexcept { return codes_; }

private:
    static constexpr std::uint32_t no_parent = ~std::uint32_t{0};

    void read(Dwarf_Die unit);
    void add(Dwarf_Die& entry, std::uint32_t depth, bool inlined);

    std::vector<code> codes_;
};

} // namespace mallard::advisor
