/// The command line of a soak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace soak {

struct options {
    std::optional<std::uint64_t> operations; ///< to stop after
    std::optional<double> seconds;           ///< to stop after
    std::optional<std::uint64_t> seed;
    std::string allocator;             ///< empty: all
    std::optional<std::uint64_t> turn; ///< the only one to be done
    bool list = false;
    bool help = false;
    std::string wrong; ///< with the command line; empty where nothing is
};

[[nodiscard]] options read_options(std::span<const char* const> words);

/// Returns: the help of the program.
[[nodiscard]] const char* usage() noexcept;

/// Returns: true if the words after an allocator's option choose a kind of that name: any kind if there are no words; else
/// that allocator, or allocator/adaptor, or allocator/adaptor/binding.
[[nodiscard]] bool chooses(const std::string& chosen, const std::string& name);

} // namespace soak
