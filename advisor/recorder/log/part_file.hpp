/// This process's part of a recording: a file that is mapped as far as it is in use.
///
///     file     | header | 16 chunks | 16 chunks | ... |
///     windows             0           1                     4 MiB each, mapped in order, at any address
///
/// Data model: trace/part.hpp. The file is large and sparse; the process maps only the windows in use, because addresses may be
/// limited (RLIMIT_AS) or locked (mlockall). Nothing needs the file descriptor after `open`, because the program may
/// close it.
/// Invariant: the first `mapped_windows_` windows are of the file. Behind them are those of an earlier recording, for later use.
/// Thread-safe.
#pragma once

#include "recorder/system/system_text.hpp"
#include "trace/part.hpp"

#include <array>
#include <atomic>

namespace mallard::recorder {

class part_file {
public:
    /// Effects: creates `FOLDER/PROCESS.N.NAMESPACE.part`, with room for as many chunks as the system allows.
    /// Returns: false on failure.
    bool open(const char* folder, trace::stack_source stacks) noexcept;

    /// Effects: unmaps the file, which belongs to the parent. For the child of a fork.
    /// Returns: the header, which stays mapped until `leave_header`; null if no file was open.
    trace::part_header* leave() noexcept;
    static void leave_header(trace::part_header* header) noexcept;

    /// Effects: replaces the mappings by private memory with the same contents of the header, so that the file is not in use any
    /// more. Threads that are in the recorder may go on. The next `open` uses the addresses again.
    /// Requires: the file is open, and recording has stopped.
    void detach() noexcept;

    /// Effects: stores the current time of all clocks.
    /// Requires: the file is open.
    void note_time() noexcept;

    /// Effects: populates some chunks, because the process is about to lose the right to do so later.
    /// Requires: the file is open.
    void prepare_for_sandbox() noexcept;

    /// Returns: a chunk for the caller alone, whose pages for records are not populated; null if recording has
    /// stopped. Without a free chunk, waits for the collector, and stops recording if none is released.
    trace::chunk_header* take_chunk() noexcept;

    /// Effects: populates [begin, begin + bytes), which is in a chunk. Stops recording if the disk or the memory
    /// is full.
    /// Returns: false if recording has stopped.
    bool populate(std::byte* begin, std::size_t bytes) noexcept;

    /// Effects: stops all threads from taking chunks. The first reason is kept.
    void stop(trace::stop_reason reason) noexcept;

    /// Returns: true if recording has stopped, or the collector requests it.
    [[nodiscard]] bool stopping() const noexcept;
    /// Returns: true until the collector lets the recording begin.
    /// Requires: the file is open.
    [[nodiscard]] bool is_idle() const noexcept { return header_->idle.load(std::memory_order_acquire) != 0; }
    /// Returns: false in the child of a vfork, which shares its parent's memory.
    /// Requires: the file is open.
    [[nodiscard]] bool is_of_this_process() const noexcept;
    [[nodiscard]] trace::part_header& header() const noexcept { return *header_; }

private:
    // 64 GiB. Limits of the system or the process may lower it.
    static constexpr std::uint32_t most_chunks = 1U << 18;
    static constexpr std::uint32_t window_chunks = 16;
    static constexpr std::size_t window_bytes = window_chunks * trace::chunk_bytes;

    [[nodiscard]] bool map(int file) noexcept;
    [[nodiscard]] bool map_window(std::uint32_t index) noexcept;
    /// Requires: the chunk's window is mapped.
    [[nodiscard]] std::byte* chunk_at(std::uint32_t index) const noexcept {
        return windows_[index / window_chunks].load(std::memory_order_acquire) +
               index % window_chunks * trace::chunk_bytes;
    }
    trace::chunk_header* take_used_chunk() noexcept;
    trace::chunk_header* take_fresh_chunk() noexcept;
    void add_to_used(std::uint32_t fresh) noexcept;
    trace::chunk_header* claim(std::uint32_t index) noexcept;

    trace::part_header* header_ = nullptr;
    std::array<std::atomic<std::byte*>, most_chunks / window_chunks> windows_{};
    std::atomic<std::uint32_t> mapped_windows_{0};
    path_text path_; ///< a member, because the stack may be small
    std::atomic<std::uint32_t> next_free_{0};
    std::atomic<std::uint64_t> taken_{0};
};

} // namespace mallard::recorder
