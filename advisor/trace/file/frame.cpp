#include "trace/file/frame.hpp"

#include <algorithm>

namespace mallard::trace {

namespace {

constexpr std::size_t sum_place = frame_head_bytes - 4;

class field_writer {
public:
    explicit field_writer(std::byte* to) noexcept : at_(to) {}

    void put(std::uint64_t value, unsigned bytes) noexcept {
        for (unsigned index = 0; index < bytes; ++index) {
            *at_++ = static_cast<std::byte>(value >> 8 * index);
        }
    }

private:
    std::byte* at_;
};

class field_reader {
public:
    explicit field_reader(const std::byte* from) noexcept : at_(from) {}

    std::uint64_t get_u64() noexcept {
        const std::uint64_t low = get_u32();
        return low | std::uint64_t{get_u32()} << 32;
    }
    std::uint32_t get_u32() noexcept {
        const std::uint32_t value = load_u32(at_);
        at_ += 4;
        return value;
    }

private:
    const std::byte* at_;
};

} // namespace

std::uint32_t head_sum(std::span<const std::byte> bytes) noexcept {
    std::uint32_t sum = 0x811c9dc5U;
    for (const std::byte byte : bytes) {
        sum = (sum ^ std::to_integer<std::uint32_t>(byte)) * 0x01000193U;
    }
    return sum;
}

std::uint32_t load_u32(const std::byte* from) noexcept {
    return std::to_integer<std::uint32_t>(from[0]) | std::to_integer<std::uint32_t>(from[1]) << 8 |
           std::to_integer<std::uint32_t>(from[2]) << 16 | std::to_integer<std::uint32_t>(from[3]) << 24;
}

std::array<std::byte, file_head_bytes> make_file_head() noexcept {
    std::array<std::byte, file_head_bytes> result{};
    std::ranges::transform(file_magic, result.begin(),
                           [](char character) { return static_cast<std::byte>(character); });
    field_writer(result.data() + file_magic.size()).put(file_version, 4);
    return result;
}

frame_head_image to_bytes(const frame_head& head) noexcept {
    frame_head_image result{};
    field_writer to(result.data());
    to.put(head.body_bytes, 4);
    to.put(head.plain_bytes, 4);
    to.put(static_cast<std::uint8_t>(head.kind), 4);
    to.put(head.process, 4);
    to.put(head.thread, 4);
    to.put(head.count, 4);
    to.put(head.first_ticks, 8);
    to.put(head.last_ticks, 8);
    for (const std::uint32_t count : head.events_by_end) {
        to.put(count, 4);
    }
    to.put(head_sum(std::span(result).first<sum_place>()), 4);
    return result;
}

std::optional<frame_head> to_frame_head(std::span<const std::byte, frame_head_bytes> bytes) noexcept {
    if (load_u32(bytes.data() + sum_place) != head_sum(bytes.first<sum_place>())) {
        return std::nullopt;
    }
    field_reader from(bytes.data());
    frame_head head;
    head.body_bytes = from.get_u32();
    head.plain_bytes = from.get_u32();
    const std::uint32_t kind = from.get_u32();
    head.kind = static_cast<frame_kind>(kind);
    head.process = from.get_u32();
    head.thread = from.get_u32();
    head.count = from.get_u32();
    head.first_ticks = from.get_u64();
    head.last_ticks = from.get_u64();
    for (std::uint32_t& count : head.events_by_end) {
        count = from.get_u32();
    }
    const bool known = kind >= static_cast<std::uint32_t>(frame_kind::process) &&
                       kind <= static_cast<std::uint32_t>(frame_kind::memory);
    if (!known || head.count > most_in_frame || head.plain_bytes > most_plain_bytes ||
        head.first_ticks > head.last_ticks) {
        return std::nullopt;
    }
    return head;
}

} // namespace mallard::trace
