/// This process's part of a recording: a file that is mapped as a whole.
///
/// Data model: trace/part.hpp. Nothing here needs the file's descriptor after `open`, because the program may close it.
/// Thread-safe.
#pragma once

#include "trace/part.hpp"

namespace mallard::recorder {

class part_file {
public:
    /// Effects: makes `FOLDER/PROCESS.N.part`, with room for as many chunks as the system allows.
    /// Returns: false if it cannot be made.
    bool open(const char* folder, trace::stack_source stacks) noexcept;

    /// Effects: leaves the file to the process that made it. For the child of a fork.
    /// Returns: the header, which stays until `leave_header`; null if no file was open.
    trace::part_header* leave() noexcept;
    static void leave_header(trace::part_header* header) noexcept;

    /// Effects: notes that the process has come so far, by all clocks.
    /// Requires: the file is open.
    void note_time() noexcept;

    /// Returns: a chunk that only the caller writes to, without memory behind its records; null if recording has
    /// stopped, and stops it if there is no room.
    trace::chunk_header* take_chunk() noexcept;

    /// Effects: asks the system for the memory of [begin, begin + bytes), which is in a chunk. Stops recording if the
    /// disk is full, or the memory.
    /// Returns: false if recording has stopped.
    bool populate(std::byte* begin, std::size_t bytes) noexcept;

    /// Effects: no thread takes a chunk from now on. The first reason stays.
    void stop(trace::stop_reason why) noexcept;

    /// Returns: false in the child of a vfork, which has the memory of its parent and a time of its own.
    /// Requires: the file is open.
    [[nodiscard]] bool is_of_this_process() const noexcept;
    [[nodiscard]] trace::part_header& header() const noexcept { return *header_; }

private:
    [[nodiscard]] bool map(int file) noexcept;
    [[nodiscard]] bool stopping() const noexcept;
    trace::chunk_header* claim(std::uint32_t which) noexcept;

    std::byte* memory_ = nullptr;
    trace::part_header* header_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    std::atomic<std::uint32_t> next_free_{0};
    std::atomic<std::uint64_t> taken_{0};
};

} // namespace mallard::recorder
