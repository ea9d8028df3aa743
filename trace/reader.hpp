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
    /// Effects: reads the table of the file's frames, and all that is not an event. A file that ends in the middle is read as
    /// far as it goes.
    /// Throws: trace_error if the file cannot be read, is no trace, is empty, or has a version that is not known.
    explicit reader(const std::filesystem::path& file);
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader();

    [[nodiscard]] const std::vector<process>& processes() const noexcept;
    /// True if the file has no end, because it was cut off or its writer was.
    [[nodiscard]] bool is_torn() const noexcept;
    /// Bytes at the end of the file that could not be read. A file that was cut between two frames has none.
    [[nodiscard]] std::uint64_t torn_bytes() const noexcept;
    [[nodiscard]] std::uint64_t file_bytes() const noexcept;

    // Of the process with that place in processes().
    [[nodiscard]] const context_tree& contexts(std::size_t process) const noexcept;
    [[nodiscard]] const std::vector<code_file>& code(std::size_t process) const noexcept;
    /// Names of scopes and marks, by number; empty where there is none.
    [[nodiscard]] const std::vector<std::string>& names(std::size_t process) const noexcept;

    /// Effects: the next events are the first ones of that process.
    void begin(std::size_t process);

    /// Returns: the next events of all threads, in the order of time; none at the end. They stay until the next call.
    /// Throws: trace_error if a frame is damaged. No event of its thread that comes later can be read.
    std::span<const event> next();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace mallard::trace
