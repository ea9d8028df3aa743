#include "trace/file/frame.hpp"

#include "trace/file/crc32.hpp"

#include <algorithm>

namespace mallard::trace {

namespace {

constexpr std::size_t sum_place = frame_head_bytes - 4;

class field_writer {
public:
    explicit field_writer(std::byte* to) noexcept : at_(to) {}

    void put(std::uint64_t value, unsigned bytes) noexcept {
        for (unsigned which = 0; which < bytes; ++which) {
            *at_++ = static_cast<std::byte>(value >> 8 * which);
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

std::uint32_t load_u32(const std::byte* from) noexcept {
    return std::to_integer<std::uint32_t>(from[0]) | std::to_integer<std::uint32_t>(from[1]) << 8 |
           std::to_integer<std::uint32_t>(from[2]) << 16 | std::to_integer<std::uint32_t>(from[3]) << 24;
}

std::array<std::byte, file_head_bytes> make_file_head() noexcept {
    std::array<std::byte, file_head_bytes> made{};
    std::transform(file_magic.begin(), file_magic.end(), made.begin(),
                   [](char each) { return static_cast<std::byte>(each); });
    field_writer(made.data() + file_magic.size()).put(file_version, 4);
    return made;
}

frame_head_image to_bytes(const frame_head& head) noexcept {
    frame_head_image made{};
    field_writer to(made.data());
    to.put(head.body_bytes, 4);
    to.put(head.plain_bytes, 4);
    to.put(static_cast<std::uint8_t>(head.kind), 4);
    to.put(head.process, 4);
    to.put(head.thread, 4);
    to.put(head.count, 4);
    to.put(head.first_ticks, 8);
    to.put(head.last_ticks, 8);
    for (const std::uint32_t each : head.events_by_end) {
        to.put(each, 4);
    }
    to.put(head.body_sum, 4);
    to.put(crc32(std::span(made).first<sum_place>()), 4);
    return made;
}

std::optional<frame_head> to_frame_head(std::span<const std::byte, frame_head_bytes> bytes) noexcept {
    if (load_u32(bytes.data() + sum_place) != crc32(bytes.first<sum_place>())) {
        return std::nullopt;
    }
    field_reader from(bytes.data());
    frame_head made;
    made.body_bytes = from.get_u32();
    made.plain_bytes = from.get_u32();
    const std::uint32_t kind = from.get_u32();
    made.kind = static_cast<frame_kind>(kind);
    made.process = from.get_u32();
    made.thread = from.get_u32();
    made.count = from.get_u32();
    made.first_ticks = from.get_u64();
    made.last_ticks = from.get_u64();
    for (std::uint32_t& each : made.events_by_end) {
        each = from.get_u32();
    }
    made.body_sum = from.get_u32();
    const bool known = kind >= static_cast<std::uint32_t>(frame_kind::process) &&
                       kind <= static_cast<std::uint32_t>(frame_kind::end);
    if (!known || made.count > most_in_frame || made.plain_bytes > most_plain_bytes ||
        made.first_ticks > made.last_ticks) {
        return std::nullopt;
    }
    return made;
}

} // namespace mallard::trace
