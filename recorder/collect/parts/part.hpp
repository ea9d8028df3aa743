/// One process's part file, as the collector sees it: the records that are ready, in their order.
///
/// Data model: trace/part.hpp. Only the header is mapped. Chunks are read: a page that the disk has no room for, or a file that
/// was cut off, would end the collector if it were mapped.
/// Invariants: chunks are handed on in the order of their numbers. A chunk that was handed on is held until its events are in
/// the trace, so that they can be recovered if the collector is ended; then the process gets it back. The first byte of
/// a chunk that was given back is 0, so it has no records.
#pragma once

#include "trace/part.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <vector>

namespace mallard::collect {

class part {
public:
    using taker = std::function<void(std::span<const std::byte> records)>;

    explicit part(std::filesystem::path file);
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part();

    /// Returns: true if the process has set the file up. Until then only the path may be asked for.
    bool is_ready() noexcept;
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] trace::part_header& header() const noexcept { return *header_; }

    /// Effects: hands on the records of full chunks, and holds the chunks.
    /// Returns: the number of chunks.
    unsigned take_full(const taker& take);
    /// Effects: hands on all records that are left.
    /// Requires: the process has ended.
    void take_all(const taker& take);

    enum class chunk_memory : bool { keep_some, keep_none };
    /// Effects: gives the chunks that are held to the process. The disk gets the memory of those that it will not fill soon.
    void give_back(chunk_memory which) noexcept;
    [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }

    /// Effects: the process records nothing from now on.
    void stop(trace::stop_reason why) noexcept;

private:
    struct chunk {
        std::uint64_t number;
        std::uint32_t which;
        trace::chunk_state state;
    };
    /// Returns: the chunks that the process has or had, without those that are held.
    [[nodiscard]] std::vector<chunk> look() const;
    unsigned hand_on(std::vector<chunk> chunks, const taker& take);

    std::filesystem::path path_;
    int file_ = -1;
    trace::part_header* header_ = nullptr;
    std::set<std::uint32_t> held_;
    std::vector<std::byte> records_;
};

} // namespace mallard::collect
