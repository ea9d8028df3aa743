/// The functions of a file by its symbols.
///
/// Data model: ranges sorted by their begin. A range inside another one refers to it as its parent. Symbols of one
/// address are aliases, and one of them is kept. Hashes of names lead from a clone or a separate part to the
/// function's main part.
/// Owner of the names: the module, which must outlive the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

struct Dwfl_Module;

namespace mallard::advisor {

class symbol_table {
public:
    struct match {
        std::uint64_t begin = 0;
        std::string_view name;
        bool has_size = false; ///< false if the symbol's end is a guess
        bool exists = false;
    };

    /// Effects: reads all symbols of functions.
    explicit symbol_table(Dwfl_Module* module);

    /// Returns: the symbol that covers the address.
    [[nodiscard]] match at(std::uint64_t address) const noexcept;

    /// Returns: the begin of the global function with that linker name; nothing if there is none.
    [[nodiscard]] std::optional<std::uint64_t> global(std::string_view name) const noexcept;

    /// Returns: the symbols that contain the text, without suffixes of clones. One of several aliases is searched.
    /// Complexity: O(bytes of all symbols).
    [[nodiscard]] std::vector<std::string_view> containing(std::string_view text) const;

private:
    struct range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::string_view symbol;
        std::uint32_t scope = 0; ///< the source file of a local symbol, counted from 1; 0 for others
        std::uint32_t parent = 0;
        bool is_weak = false;
        bool has_size = false;
    };
    struct named {
        std::uint64_t hash = 0;
        std::uint64_t begin = 0;
        bool is_clone = false;
    };

    void read(Dwfl_Module* module);
    void guess_ends();
    void index_names();
    void drop_aliases();
    static bool is_better(const range& one, const range& other) noexcept;
    [[nodiscard]] const named* find(std::uint32_t scope, std::string_view name) const noexcept;
    [[nodiscard]] std::uint64_t find_main_part(const range& part, std::string_view name) const noexcept;
    [[nodiscard]] const range* covering(std::uint64_t address) const noexcept;

    static constexpr std::uint32_t no_parent = ~std::uint32_t{0};
    std::vector<range> ranges_;
    std::vector<named> names_; ///< sorted by hash; the main part before clones, by address
};

} // namespace mallard::advisor
