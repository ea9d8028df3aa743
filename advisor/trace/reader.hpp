/// Reads a trace file: its processes, and the events of one process after another.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/event.hpp"
#include "trace/trace_error.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mallard::trace {

class reader {
public:
    /// Effects: reads the table of the file's frames, and everything except the events. A truncated file is read up to the
    /// damage.
    /// Throws: trace_error if the file cannot be read, is not a trace, is empty, or has an unknown version.
    explicit reader(const std::filesystem::path& file);
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader();

    [[nodiscard]] const std::vector<process>& processes() const noexcept;
    /// True if the file has no end, because it or the recording was cut off.
    [[nodiscard]] bool is_torn() const noexcept;
    /// Bytes at the end of the file that could not be read; 0 if the file was cut between two frames.
    [[nodiscard]] std::uint64_t torn_bytes() const noexcept;
    [[nodiscard]] std::uint64_t file_bytes() const noexcept;

    // `process` is an index into processes().
    [[nodiscard]] const context_tree& contexts(std::size_t process) const noexcept;
    [[nodiscard]] const std::vector<code_file>& code(std::size_t process) const noexcept;
    /// Names of scopes and marks, by number; empty for unused numbers.
    [[nodiscard]] const std::vector<std::string>& names(std::size_t process) const noexcept;

    /// Samples of resident memory, in the order of time; none of a process that ended soon.
    [[nodiscard]] const std::vector<memory_sample>& memory(std::size_t process) const noexcept;

    /// Effects: makes next() return the first events of that process.
    void begin(std::size_t process);

    /// Returns: the next events of all threads, in order of time; empty at the end. Valid until the next call.
    /// Throws: trace_error if a frame is damaged. Later events of its thread cannot be read.
    std::span<const event> next();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace mallard::trace
