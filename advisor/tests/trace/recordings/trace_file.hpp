/// Traces in memory, with checks.
#pragma once

#include "trace/reader.hpp"
#include "trace/recordings/random_recording.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mallard::test {

/// A file without a name in the file system, removed with this object.
class memory_file {
public:
    memory_file();
    memory_file(const memory_file&) = delete;
    memory_file& operator=(const memory_file&) = delete;
    ~memory_file();

    [[nodiscard]] std::filesystem::path path() const;
    void set(const std::vector<std::byte>& bytes);
    [[nodiscard]] std::vector<std::byte> get() const;

private:
    int file_;
};

/// Returns: the bytes of a trace written by `fill`.
std::vector<std::byte> write_trace(const std::function<void(trace::writer&)>& fill,
                                   trace::writer::options settings = {});

/// Returns: the events of the process, by thread.
/// Throws: std::logic_error if an event violates a guarantee of the reader.
std::map<std::uint32_t, std::vector<trace::event>> read_events(trace::reader& from, std::size_t process);

/// Returns: a description of the first unexpected event, or an empty text.
std::string first_difference(const trace::reader& from, std::size_t process,
                             const std::vector<expected_event>& expected,
                             const std::vector<trace::event>& actual);

} // namespace mallard::test
