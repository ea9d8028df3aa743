/// One process's part file, as the collector sees it: the ready records, in order.
///
///     PID.N.NAMESPACE.part   of the process     | header | chunk | chunk | ... |
///     PID.N.NAMESPACE.kept   of the collector   | unused | copy of a chunk | ... |
///
/// Data model: trace/part.hpp. Only the header is mapped. Chunks are read: an access to a mapped page without disk space, or
/// beyond a truncated file, would end the collector. A full chunk is copied to the second file, and released to the process
/// at once, which then refills the same few chunks, whose pages are resident.
/// Invariants: chunks are delivered in the order of their numbers. A copy is kept until its events are in the trace, so that
/// they can be recovered if the collector is killed. A chunk that cannot be copied is held instead. The first byte of
/// a released chunk is 0, so it has no records.
#pragma once

#include "trace/event.hpp"
#include "trace/part.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace mallard::collector {

class part {
public:
    using taker = std::function<void(std::span<const std::byte> records)>;

    explicit part(std::filesystem::path file);
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part();

    /// Returns: true if there is a header. The process fills it after creating the file.
    bool has_header() noexcept;
    /// Returns: true if the process has set up the file, and has had an event. Until then only the path may be used, and
    /// the header if it exists.
    bool is_ready() noexcept;
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] trace::part_header& header() const noexcept { return *header_; }

    /// Effects: delivers the records of full chunks, and holds the chunks.
    /// Returns: the number of chunks.
    unsigned take_full(const taker& take);
    /// Effects: delivers all remaining records.
    /// Requires: the process has ended.
    void take_all(const taker& take);

    enum class chunk_memory : bool { keep_some, keep_none };
    /// Effects: drops the copies of delivered chunks, and releases the held chunks to the process. The memory of chunks that will
    /// not be filled soon is returned to the disk.
    void release(chunk_memory memory) noexcept;
    /// Returns: the number of chunks delivered since.
    [[nodiscard]] std::size_t held() const noexcept { return held_.size() + delivered_; }
    /// Effects: removes both files.
    void remove() noexcept;

    /// Effects: keeps the present records of the chunks that are being filled. Later ones are not delivered.
    void freeze();

    /// Effects: has the process begin to record, if it is idle.
    /// Requires: there is a header.
    void begin() noexcept;

    /// Effects: makes the process stop recording.
    void stop(trace::stop_reason reason) noexcept;

private:
    struct chunk {
        std::uint64_t number;
        std::uint32_t index;
        trace::chunk_state state;
        bool is_copy = false;
    };
    /// Returns: the chunks in use, except for the held ones.
    [[nodiscard]] std::vector<chunk> list_chunks() const;
    /// Returns: the copies of an earlier collector.
    [[nodiscard]] std::vector<chunk> list_copies() const;
    [[nodiscard]] bool copy(chunk& source) noexcept;
    void release(std::uint32_t index, chunk_memory memory) noexcept;
    void release_copy(std::uint32_t index) noexcept;
    void drop_copies(chunk_memory memory) noexcept;
    unsigned deliver(const std::vector<chunk>& chunks, const taker& take);

    std::filesystem::path path_;
    std::filesystem::path kept_path_;
    int file_ = -1;
    int kept_ = -1;
    std::uint32_t copies_ = 0;    ///< copies in the second file
    std::uint32_t delivered_ = 0; ///< delivered copies, the first ones
    trace::part_header* header_ = nullptr;
    std::set<std::uint32_t> held_;
    std::vector<std::byte> bytes_;                           ///< a chunk's
    std::map<std::uint32_t, std::vector<std::byte>> frozen_; ///< records, by the index of their chunk
};

// Facts of a recorded process, from the system and from its part.

/// Returns: the executable and the command of a running process; empty if the system does not provide them.
trace::process running_process(std::uint32_t number);

/// Effects: adds the facts of a part's header.
void add_header(trace::process& facts, const trace::part_header& header);

/// Returns: the CPU time of the process since the part began, in nanoseconds; 0 if unknown.
std::uint64_t cpu_time(const trace::part_header& header, std::uint64_t until) noexcept;

/// Returns: the resident memory of a running process; nothing if the system does not report it.
std::optional<trace::memory_sample> sample_memory(std::uint32_t number);

/// Returns: the CPU time of a process in nanoseconds; 0 if unknown.
std::uint64_t process_cpu_time(pid_t process) noexcept;

/// A reading of both clocks, as close together as possible.
struct clock_pair {
    std::uint64_t ticks;
    std::uint64_t nanoseconds;
    static clock_pair read() noexcept;
};

/// Returns: the frequency of the time stamp counter, from the part's readings if they are far enough apart, else from
/// `begin` and the current time.
/// Effects: waits some milliseconds if `begin` is very recent.
double ticks_per_second(const trace::part_header& header, clock_pair begin) noexcept;

} // namespace mallard::collector
