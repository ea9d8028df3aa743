/// Traces of tests, in memory and checked.
#pragma once

#include "trace/reader.hpp"
#include "trace/recordings/random_recording.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mallard::test {

/// A file without a place in the file system, which goes with this object.
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

/// Returns: the bytes of a trace that `fill` has written.
std::vector<std::byte> trace_of(const std::function<void(trace::writer&)>& fill,
                                trace::writer::options how = {});

/// Returns: the events of the process, by thread.
/// Throws: std::logic_error if an event breaks a promise of the reader.
std::map<std::uint32_t, std::vector<trace::event>> events_of(trace::reader& from, std::size_t process);

/// Returns: what the first event that is not as expected is like; nothing if all are.
std::string first_difference(const trace::reader& from, std::size_t process,
                             const std::vector<expected_event>& expected,
                             const std::vector<trace::event>& found);

} // namespace mallard::test
