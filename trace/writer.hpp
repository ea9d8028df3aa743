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
    static constexpr int usual_level = 6;
    static constexpr int quick_level =
        1; ///< a sixth less time for all, and one to eight bytes more in a hundred

    struct options {
        bool redact = false;                 ///< leave names of files and the command out
        int compression_level = usual_level; ///< of zstd
        /// Called when the disk is full. The write is tried again if it returns true.
        std::function<bool()> make_room{};
    };

    /// Effects: makes the file, or empties it.
    /// Throws: trace_error if it cannot be made.
    writer(const std::filesystem::path& file, options how);
    /// Returns: a writer that goes on with a file that has no end. Bytes at its end that cannot be read are removed, and its
    /// processes keep their numbers. Events that the file has already are left out when they are added again.
    /// Throws: trace_error if the file cannot be read or written, is no trace, or has its end.
    static std::unique_ptr<writer> resume(const std::filesystem::path& file, options how);
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;
    ~writer();

    /// Returns: the number by which the process is named below.
    std::size_t add_process(const process& about);

    /// Effects: writes the records of a chunk. Chunks of one thread come in their order, with any others between.
    /// Records that make no sense end the chunk; they are counted.
    /// Throws: trace_error if the file cannot be written.
    void add_chunk(std::size_t which, std::span<const std::byte> records);

    /// Effects: what is written from now on is compressed with that level of zstd.
    void set_level(int level) noexcept;

    /// Effects: writes the events that wait for others, so that the file has all that was added.
    /// Throws: trace_error if the file cannot be written.
    void flush();

    /// Effects: writes what is known at the end of the process: its counts, status and times. The events are counted by
    /// the writer. No chunk of the process may follow.
    void end_process(std::size_t which, const process& about);

    /// Effects: writes the end of the file, and closes it. A process whose end was not written counts as torn.
    /// Throws: trace_error if the file cannot be written.
    void finish();

    [[nodiscard]] std::uint64_t events() const noexcept;
    [[nodiscard]] std::uint64_t bytes() const noexcept;
    [[nodiscard]] std::uint64_t damaged_chunks() const noexcept;

private:
    struct state;
    explicit writer(std::unique_ptr<state> of);
    std::unique_ptr<state> state_;
};

} // namespace mallard::trace
