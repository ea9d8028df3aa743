/// One process's part file, as the collector sees it: the records that are ready, in their order.
///
///     PID.N.part    of the process     | header | chunk | chunk | ... |
///     PID.N.kept    of the collector   | unused | copy of a chunk | ... |
///
/// Data model: trace/part.hpp. Only the header is mapped. Chunks are read: a page that the disk has no room for, or a file that
/// was cut off, would end the collector if it were mapped. A full chunk is copied to the second file, and the process gets it
/// back at once: then it fills the same few chunks again and again, whose pages are there.
/// Invariants: chunks are handed on in the order of their numbers. A copy is kept until its events are in the trace, so that
/// they can be recovered if the collector is ended. A chunk that cannot be copied is held as long instead. The first byte of
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

    /// Returns: true if there is a header. The process fills it once it is there.
    bool has_header() noexcept;
    /// Returns: true if the process has set the file up, and has had an event. Until then only the path may be asked for, and
    /// the header if it is there.
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
    /// Effects: forgets the copies of chunks that were handed on, and gives those that are held to the process. The disk gets the
    /// memory of those that will not be filled soon.
    void give_back(chunk_memory which) noexcept;
    /// Returns: the chunks that were handed on since.
    [[nodiscard]] std::size_t held() const noexcept { return held_.size() + handed_on_; }
    /// Effects: removes both files.
    void remove() noexcept;

    /// Effects: the process records nothing from now on.
    void stop(trace::stop_reason why) noexcept;

private:
    struct chunk {
        std::uint64_t number;
        std::uint32_t which;
        trace::chunk_state state;
        bool is_copy = false;
    };
    /// Returns: the chunks that the process has or had, without those that are held.
    [[nodiscard]] std::vector<chunk> look() const;
    /// Returns: the copies that an earlier collector kept.
    [[nodiscard]] std::vector<chunk> look_at_copies() const;
    [[nodiscard]] bool copy(chunk& which) noexcept;
    void give_back(std::uint32_t which, chunk_memory memory) noexcept;
    void give_back_copy(std::uint32_t which) noexcept;
    void forget_copies(chunk_memory memory) noexcept;
    unsigned hand_on(const std::vector<chunk>& chunks, const taker& take);

    std::filesystem::path path_;
    std::filesystem::path kept_path_;
    int file_ = -1;
    int kept_ = -1;
    std::uint32_t copies_ = 0;    ///< in the second file
    std::uint32_t handed_on_ = 0; ///< of them, the first ones
    trace::part_header* header_ = nullptr;
    std::set<std::uint32_t> held_;
    std::vector<std::byte> bytes_; ///< of a chunk
};

} // namespace mallard::collect
