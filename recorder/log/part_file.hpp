/// This process's part of a recording: a file that is mapped as far as it is used.
///
///     file     | header | 16 chunks | 16 chunks | ... |
///     windows             0           1                     4 MiB each, mapped in their order, anywhere
///
/// Data model: trace/part.hpp. The file is large and sparse; the process has addresses for the windows alone, because they may be
/// limited (RLIMIT_AS) or locked (mlockall). Nothing here needs the file's descriptor after `open`, because the program may
/// close it.
/// Thread-safe.
#pragma once

#include "recorder/system/system_text.hpp"
#include "trace/part.hpp"

#include <array>
#include <atomic>

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

    /// Effects: gets the memory of some chunks, because the process is about to lose the right to ask for it.
    /// Requires: the file is open.
    void prepare_for_sandbox() noexcept;

    /// Returns: a chunk that only the caller writes to, without memory behind its records; null if recording has
    /// stopped. If there is no room, waits for the collector, and stops recording if it gives back none.
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
    // 64 GiB. Limits of the system or of the process may leave less.
    static constexpr std::uint32_t most_chunks = 1U << 18;
    static constexpr std::uint32_t window_chunks = 16;
    static constexpr std::size_t window_bytes = window_chunks * trace::chunk_bytes;

    [[nodiscard]] bool map(int file) noexcept;
    [[nodiscard]] bool map_window(std::uint32_t which) noexcept;
    /// Requires: the chunk's window is mapped.
    [[nodiscard]] std::byte* chunk_at(std::uint32_t which) const noexcept {
        return windows_[which / window_chunks].load(std::memory_order_acquire) +
               which % window_chunks * trace::chunk_bytes;
    }
    trace::chunk_header* take_used_chunk() noexcept;
    trace::chunk_header* take_fresh_chunk() noexcept;
    void add_to_used(std::uint32_t fresh) noexcept;
    [[nodiscard]] bool stopping() const noexcept;
    trace::chunk_header* claim(std::uint32_t which) noexcept;

    trace::part_header* header_ = nullptr;
    std::array<std::atomic<std::byte*>, most_chunks / window_chunks> windows_{};
    path_text path_; ///< here, because the stack may be small
    std::atomic<std::uint32_t> next_free_{0};
    std::atomic<std::uint64_t> taken_{0};
};

} // namespace mallard::recorder
