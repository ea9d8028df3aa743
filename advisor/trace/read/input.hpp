/// The file of a reader. It is read, not mapped, so that a file that shrinks meanwhile does not kill the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace mallard::trace {

class input {
public:
    /// Throws: trace_error if the file cannot be read, or is not a regular file.
    explicit input(const std::filesystem::path& file);
    input(const input&) = delete;
    input& operator=(const input&) = delete;
    ~input();

    /// Returns: the number of bytes read, fewer than those of `to` only at the end of the file.
    /// Throws: trace_error on an error.
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> to) const;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    std::string name_;
    int file_ = -1;
    std::uint64_t bytes_ = 0;
};

} // namespace mallard::trace
