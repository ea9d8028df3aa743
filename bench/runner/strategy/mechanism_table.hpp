/// The mechanisms, the libraries of contenders, and the abilities of each mechanism, from the list in
/// strategy/strategies.def.
///
/// A strategy (strategy/table.hpp) is a mechanism with a binding and a kind of destruction. The flags here decide
/// which experiments have a strategy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bench {

enum class mechanism_kind {
#define MECHANISM(kind, ...) kind,
#include "runner/strategy/strategies.def"
};

/// Where a contender comes from.
enum class library_kind {
    none,
#define LIBRARY(kind, ...) kind,
#include "runner/strategy/strategies.def"
};

/// The capabilities of a mechanism that experiments require.
enum class capability : std::uint32_t {
    any_size = 1U << 0,     ///< blocks of any size; without it, of one size that is fixed at construction
    containers = 1U << 1,   ///< serves any container
    own = 1U << 2,          ///< constructed for one structure, and destroyed with it
    takes_buffer = 1U << 3, ///< begins in a buffer of the caller
    reuses = 1U << 4,       ///< reuses freed blocks
    all_threads = 1U << 5,  ///< one for all threads; a block may be freed by any of them
    bursts = 1U << 6,       ///< allocates and frees many blocks of a size at once
    library_pool = 1U << 7, ///< one of the library's pools beyond the papers' two allocators
    in_a_region = 1U << 8,  ///< works in a region of a computed size
    in_survey = 1U << 9,    ///< compiled into the survey's runner
};

[[nodiscard]] constexpr capability operator|(capability a, capability b) noexcept {
    return static_cast<capability>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

/// True if all `required` capabilities are available.
[[nodiscard]] constexpr bool has(capability available, capability required) noexcept {
    return (available | required) == available;
}

struct library_row {
    library_kind kind;
    std::string_view name;         ///< as its authors write it
    std::string_view word = {};    ///< selects its contenders
    std::string_view package = {}; ///< Debian's; empty with a header: found below a prefix (MALLARD_WITH)
    std::string_view header = {};  ///< a pattern below a folder of headers; empty: it comes with the compiler
    std::string_view file = {};    ///< the prefix of the file to link with, if there is one
    bool built;                    ///< true if it was present at build time
    std::string_view why;          ///< the reason if it was not
    std::string_view version = {}; ///< of a library below a prefix
};

struct mechanism_row {
    mechanism_kind kind;
    library_kind library = library_kind::none;
    std::string_view text;
    capability can;
    std::size_t largest_block = SIZE_MAX; ///< the limit of mechanisms that are compiled for each size
    std::size_t first_bytes = 96;         ///< taken for its first block of a few words, about
};

/// The limit of the contenders that are compiled for each size of a block.
inline constexpr std::size_t largest_node_bytes = 64;

/// In the order of the enumerators.
inline constexpr auto mechanisms = [] {
    using enum capability;
    constexpr capability any = any_size | containers;
    return std::to_array<mechanism_row>({
#define MECHANISM(of, ...) {.kind = mechanism_kind::of, __VA_ARGS__},
#include "runner/strategy/strategies.def"
    });
}();
inline constexpr std::size_t mechanism_count = mechanisms.size();

/// Not inline, so that a lookup does not change the inlining around a measured loop.
[[nodiscard]] const mechanism_row& find_row(mechanism_kind kind) noexcept;

[[nodiscard]] constexpr bool is_library_pool(mechanism_kind kind) noexcept {
    return has(mechanisms[static_cast<std::size_t>(kind)].can, capability::library_pool);
}

[[nodiscard]] constexpr bool is_in_a_region(mechanism_kind kind) noexcept {
    return has(mechanisms[static_cast<std::size_t>(kind)].can, capability::in_a_region);
}

/// True in the runner of `mallard bench` without an experiment: it has only the survey's experiments, and compiles in
/// a third of the time. Its objects have the compiler options of the full runner.
#ifdef BENCH_SURVEY_ONLY
constexpr bool survey_only = true;
#else
constexpr bool survey_only = false;
#endif

[[nodiscard]] constexpr bool is_compiled(mechanism_kind kind) noexcept {
    return !survey_only || has(mechanisms[static_cast<std::size_t>(kind)].can, capability::in_survey);
}

/// Returns: all libraries that contenders come from.
[[nodiscard]] std::span<const library_row> libraries() noexcept;

/// Returns: the library; null for no library.
[[nodiscard]] const library_row* find_library(library_kind kind) noexcept;

/// Returns: the library of a contender; null if the mechanism is not a contender.
[[nodiscard]] const library_row* find_library(mechanism_kind kind) noexcept;

/// True if this build has the mechanism.
[[nodiscard]] bool is_built(mechanism_kind kind) noexcept;

} // namespace bench
