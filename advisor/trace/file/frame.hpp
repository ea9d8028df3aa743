/// The frames of a trace file. advisor/trace/README.md describes them for other readers.
///
///     | file head, 16 B | frame head, 68 B | body | frame head | body | ... | frame head of the end |
///
/// Data model: a frame's head has the length of its body, so that a reader finds all frames without reading a body.
/// A body is one frame of zstd, with its checksum. All integers are little-endian.
/// Invariants: a frame refers only to processes, contexts, code and names in earlier frames.
#pragma once

#include "trace/raw_record.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace mallard::trace {

inline constexpr std::array<char, 8> file_magic{'\x89', 'm', 'a', 'l', 'l', 't', 'r', '\n'};
inline constexpr std::uint32_t file_version = 3;
inline constexpr std::size_t file_head_bytes = 16;
inline constexpr std::size_t frame_head_bytes = 68;

/// Limits of a frame, so that a damaged one cannot make a reader allocate much memory.
inline constexpr std::uint32_t most_in_frame =
    1U << 18; ///< events, contexts, files of code, names or samples of memory
inline constexpr std::uint32_t most_plain_bytes = 1U << 26;

enum class frame_kind : std::uint8_t {
    process = 1,  ///< the start of a process
    contexts = 2, ///< new nodes of the process's tree
    code = 3,     ///< loaded files of code
    names = 4,    ///< names of scopes and marks
    events = 5,   ///< events of one thread
    process_end = 6,
    end = 7,    ///< the end of the file
    memory = 8, ///< resident memory over time
};

struct frame_head {
    std::uint32_t body_bytes = 0;
    std::uint32_t plain_bytes = 0; ///< of the body, decompressed
    frame_kind kind = frame_kind::end;
    std::uint32_t process = 0; ///< index of the process in the file
    std::uint32_t thread = 0;
    std::uint32_t count = 0; ///< of the items in the body
    std::uint64_t first_ticks = 0;
    std::uint64_t last_ticks = 0;
    std::array<std::uint32_t, stack_ends> events_by_end{};
};

std::array<std::byte, file_head_bytes> make_file_head() noexcept;

using frame_head_image = std::array<std::byte, frame_head_bytes>;

/// Returns: the bytes of the head, followed by their checksum.
frame_head_image to_bytes(const frame_head& head) noexcept;

/// Returns: the head; nothing if its checksum or a field is invalid.
std::optional<frame_head> to_frame_head(std::span<const std::byte, frame_head_bytes> bytes) noexcept;

/// Returns: the checksum of a head (FNV-1a), which a change of any one byte changes.
std::uint32_t head_sum(std::span<const std::byte> bytes) noexcept;

/// Returns: the number in four bytes.
std::uint32_t load_u32(const std::byte* from) noexcept;

} // namespace mallard::trace
