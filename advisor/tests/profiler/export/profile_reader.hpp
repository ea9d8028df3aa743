/// Reads the part of profile.proto that the tests check.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mallard::advisor::tests {

/// A message: its fields in order, grouped by number.
struct message {
    struct field {
        std::uint64_t number = 0;
        std::string bytes;
    };
    std::map<std::uint64_t, std::vector<field>> fields;

    /// Throws: std::runtime_error if the bytes are not a message.
    explicit message(const std::string& bytes);

    [[nodiscard]] std::uint64_t number(std::uint64_t key) const;
    [[nodiscard]] std::vector<std::uint64_t> packed(std::uint64_t key) const;
    [[nodiscard]] std::vector<message> messages(std::uint64_t key) const;
};

struct profile {
    struct sample {
        std::vector<std::string> functions; ///< the innermost one first; `name file:line`, inlined ones too
        std::vector<std::uint64_t> addresses;
        std::vector<std::uint64_t> values;
    };
    std::vector<std::string> kinds; ///< `type unit`
    std::vector<sample> samples;
    std::vector<std::string> mappings; ///< `begin-end path build-id`
    std::vector<std::string> comments;

    /// Throws: std::runtime_error if the file is not a profile, or has dangling references.
    explicit profile(const std::filesystem::path& file);
};

} // namespace mallard::advisor::tests
