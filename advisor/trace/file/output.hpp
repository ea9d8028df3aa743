/// The file of a writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace mallard::trace {

class output {
public:
    /// Effects: creates the file, or truncates it to `keep_bytes`. `make_room` is called when the disk is full; if it returns
    /// true, the write is retried.
    /// Throws: trace_error if that fails.
    explicit output(const std::filesystem::path& file, std::function<bool()> make_room = {},
                    std::uint64_t keep_bytes = 0);
    output(const output&) = delete;
    output& operator=(const output&) = delete;
    ~output();

    /// Throws: trace_error on an error.
    void write(std::span<const std::byte> bytes);
    /// Effects: closes the file.
    /// Throws: trace_error if the system reports a delayed error.
    void close();

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

private:
    [[noreturn]] void fail(const char* problem, int error) const;

    std::string name_;
    std::function<bool()> make_room_;
    int file_ = -1;
    std::uint64_t bytes_ = 0;
};

} // namespace mallard::trace
