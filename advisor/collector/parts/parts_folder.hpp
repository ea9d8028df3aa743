/// The folder next to a trace with the parts of the recorded processes: FILE.parts
///
///     FILE.parts/trace          the trace until it is complete and renamed to FILE
///     FILE.parts/reserve        disk space reserved for the end of the trace
///     FILE.parts/idle           until the recording begins, if a signal begins it
///     FILE.parts/PID.N.NAMESPACE.part   of a process, which may execute several programs
///     FILE.parts/PID.N.NAMESPACE.kept   copies of its full chunks, until their events are in the trace
///
/// A process has its PID in its own namespace of process IDs, which a container or sandbox may have.
///
/// Invariant: a collector that works in the folder holds a lock on it, so that no other does.
#pragma once

#include "trace/part.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace mallard::collector {

class parts_folder {
public:
    struct part_name {
        std::filesystem::path file;
        std::uint32_t process;
        std::uint32_t program; ///< counts the programs that the process executed
        std::uint64_t space;   ///< its namespace of process IDs; 0 if unknown
    };

    /// Effects: creates the folder for a trace.
    /// Throws: failure if the trace cannot be written there, or if the folder of an earlier recording exists.
    static parts_folder make(const std::filesystem::path& trace);
    /// Throws: failure if it does not exist, or if a collector works in it.
    static parts_folder open(const std::filesystem::path& trace);

    parts_folder(const parts_folder&) = delete;
    parts_folder& operator=(const parts_folder&) = delete;
    parts_folder(parts_folder&& other) noexcept;
    ~parts_folder();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path trace() const { return path_ / "trace"; }
    /// A descriptor that becomes readable when there are new files.
    [[nodiscard]] int inotify_fd() const noexcept { return inotify_fd_; }

    /// Returns: true if there may be new files since the last call.
    [[nodiscard]] bool changed() noexcept;
    /// Returns: the existing parts.
    [[nodiscard]] std::vector<part_name> parts() const;

    /// Returns: the process ID in the namespace of the collector; 0 if the process has exited in another one.
    [[nodiscard]] std::uint32_t find_process(const part_name& part) const;

    /// Effects: makes the processes that start wait for the begin of the recording.
    /// Throws: failure if the file that says so cannot be created.
    void set_idle() const;
    /// Effects: makes the processes that start record.
    void end_idle() const noexcept;
    [[nodiscard]] bool is_idle() const noexcept;

    /// Effects: moves the trace to its final name.
    /// Throws: failure on an error; the trace then stays in the folder.
    void keep_trace();
    /// Effects: removes the folder and its contents.
    void remove() noexcept;

private:
    explicit parts_folder(const std::filesystem::path& trace);
    [[nodiscard]] bool lock() noexcept;

    std::filesystem::path final_;
    std::filesystem::path path_;
    int folder_ = -1;
    int inotify_fd_ = -1;
};

/// Bytes on the disk without which nothing is recorded: a part with one chunk.
inline constexpr std::uint64_t least_room = trace::header_bytes + trace::chunk_bytes;

/// Returns: true if the disk, or a quota, has not that room in the folder. Creates and removes a file.
[[nodiscard]] bool is_disk_full(const std::filesystem::path& folder) noexcept;

/// Disk space reserved for the end of the trace: if the disk fills up, the recorded events can still be written.
class disk_reserve {
public:
    /// Effects: reserves the space, if available.
    explicit disk_reserve(const std::filesystem::path& folder);
    disk_reserve(const disk_reserve&) = delete;
    disk_reserve& operator=(const disk_reserve&) = delete;
    ~disk_reserve();

    /// Effects: releases the space.
    /// Returns: false if it was released before.
    bool release() noexcept;

private:
    std::filesystem::path file_;
};

} // namespace mallard::collector
