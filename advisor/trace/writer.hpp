/// Writes a trace file from the chunks of recorded processes.
#pragma once

#include "trace/event.hpp"
#include "trace/trace_error.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

namespace mallard::trace {

class writer {
public:
    static constexpr int default_level = 6;
    static constexpr int quick_level = 1; ///< a sixth less time in total, for one to eight percent more bytes

    struct options {
        bool redact = false;                   ///< omit file names and the command
        int compression_level = default_level; ///< zstd's
        /// Called when the disk is full. The write is retried if it returns true.
        std::function<bool()> make_room{};
    };

    /// Effects: creates or truncates the file.
    /// Throws: trace_error if that fails.
    writer(const std::filesystem::path& file, const options& settings);
    /// Returns: a writer that resumes a file without an end. Unreadable bytes at its end are removed, and its
    /// processes keep their numbers. Events that are in the file already are skipped when they are added again.
    /// Throws: trace_error if the file cannot be read or written, is not a trace, or is complete.
    static std::unique_ptr<writer> resume(const std::filesystem::path& file, const options& settings);
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;
    ~writer();

    /// Returns: the index of the process, for the functions below.
    std::size_t add_process(const process& facts);

    /// Effects: writes the records of a chunk. The chunks of a thread must come in order, possibly between other chunks.
    /// An invalid record ends the chunk, which counts as damaged.
    /// Throws: trace_error if the file cannot be written.
    void add_chunk(std::size_t index, std::span<const std::byte> records);

    /// Effects: adds a sample of the process's memory. Samples come in the order of time.
    void add_memory(std::size_t index, const memory_sample& sample);

    /// Effects: sets the level of zstd for later frames.
    void set_level(int level) noexcept;

    /// Effects: writes all events that are held in memory.
    /// Throws: trace_error if the file cannot be written.
    void flush();

    /// Effects: writes the facts known at the end of the process: its counts, status and times. The writer counts the
    /// events. No chunk of the process may follow.
    void end_process(std::size_t index, const process& facts);

    /// Effects: writes the end of the file, and closes it. A process whose end was not written counts as torn.
    /// Throws: trace_error if the file cannot be written.
    void finish();

    [[nodiscard]] std::uint64_t events() const noexcept;
    [[nodiscard]] std::uint64_t bytes() const noexcept;
    [[nodiscard]] std::uint64_t damaged_chunks() const noexcept;

private:
    struct state;
    explicit writer(std::unique_ptr<state> initial);
    std::unique_ptr<state> state_;
};

} // namespace mallard::trace
