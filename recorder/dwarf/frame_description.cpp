#include "recorder/dwarf/frame_description.hpp"

#include <cstring>

namespace mallard::recorder::unwind {

namespace {

/// The entries of a search table that every linker writes: two 32-bit numbers from the header on.
struct table_entry {
    std::int32_t function;
    std::int32_t entry;
};

/// Reads a common entry, all but its instructions' length, which `read_entry` has.
bool read_common(const std::uint8_t* at, const std::uint8_t* end, frame_description& into) noexcept {
    byte_cursor whole(at, end);
    const std::uint64_t length = whole.length();
    byte_cursor entry = whole.part(length);
    if (length == 0 || entry.fixed<std::uint32_t>() != 0) {
        return false;
    }
    const auto version = entry.fixed<std::uint8_t>();
    const auto* const augmentation = reinterpret_cast<const char*>(entry.at());
    while (entry.fixed<char>() != 0) {
        if (entry.done()) {
            return false;
        }
    }
    into.code_alignment = entry.unsigned_number();
    into.data_alignment = entry.signed_number();
    into.return_register =
        version == 1 ? entry.fixed<std::uint8_t>() : static_cast<std::uint8_t>(entry.unsigned_number());
    into.pointer_encoding = absolute;
    into.signal_frame = false;
    into.sized_augmentation = augmentation[0] == 'z';
    if (into.sized_augmentation) {
        byte_cursor data = entry.part(entry.unsigned_number());
        for (const char* letter = augmentation + 1; *letter != 0; ++letter) {
            switch (*letter) {
            case 'R':
                into.pointer_encoding = data.fixed<std::uint8_t>();
                break;
            case 'P':
                data.pointer(data.fixed<std::uint8_t>() & 0x7fU);
                break;
            case 'L':
                data.skip(1);
                break;
            case 'S':
                into.signal_frame = true;
                break;
            default:
                break; // 'z' says where the instructions begin, so an unknown letter does no harm
            }
        }
    } else if (augmentation[0] != 0) {
        return false;
    }
    into.initial_begin = entry.at();
    into.initial_end = at + (whole.at() - at);
    return !entry.failed();
}

/// Effects: `whole` goes on behind the entry that it stands at.
/// Returns: true if that is the description of a function, which `into` is then.
bool read_entry(byte_cursor& whole, const std::uint8_t* end, frame_description& into) noexcept {
    const std::uint64_t length = whole.length();
    byte_cursor entry = whole.part(length);
    const std::uint8_t* const from = entry.at();
    const auto distance = entry.fixed<std::uint32_t>();
    if (length == 0 || distance == 0 || entry.failed() || !read_common(from - distance, end, into)) {
        return false;
    }
    into.begin = entry.pointer(into.pointer_encoding);
    // A length has the format of a pointer, and no base.
    into.end = into.begin + entry.pointer(into.pointer_encoding & 0x0fU);
    if (into.sized_augmentation) {
        entry.skip(entry.unsigned_number());
    }
    into.instructions_begin = entry.at();
    into.instructions_end = whole.at();
    return !entry.failed();
}

/// Effects: reads the section's entries, up to one for which `is_it` is true. `now` is the entry.
/// Returns: true if there is one.
template <typename IsIt>
bool any_in_section(const std::uint8_t* section, const std::uint8_t* end, frame_description& now,
                    IsIt is_it) noexcept {
    byte_cursor whole(section, end);
    while (!whole.done()) {
        std::uint32_t length = 0;
        std::memcpy(&length, whole.at(), sizeof length);
        if (length == 0) {
            return false;
        }
        if (read_entry(whole, end, now) && is_it()) {
            return true;
        }
    }
    return false;
}

} // namespace

bool find_in_section(const std::uint8_t* section, const std::uint8_t* end, address pc,
                     frame_description& found) noexcept {
    return any_in_section(section, end, found, [&] { return found.begin <= pc && pc < found.end; });
}

void range_of_section(const std::uint8_t* section, const std::uint8_t* end, address& range_begin,
                      address& range_end) noexcept {
    range_begin = ~address{0};
    range_end = 0;
    frame_description each;
    any_in_section(section, end, each, [&] {
        // A linker leaves the entry of a function that it left out, at address 0.
        if (each.begin != 0 && each.begin < each.end) {
            range_begin = each.begin < range_begin ? each.begin : range_begin;
            range_end = each.end > range_end ? each.end : range_end;
        }
        return false;
    });
}

bool find_in_header(const std::uint8_t* header, const std::uint8_t* end, address pc,
                    frame_description& found) noexcept {
    byte_cursor cursor(header, end);
    if (cursor.fixed<std::uint8_t>() != 1) {
        return false;
    }
    const auto section_encoding = cursor.fixed<std::uint8_t>();
    const auto count_encoding = cursor.fixed<std::uint8_t>();
    const auto table_encoding = cursor.fixed<std::uint8_t>();
    const address section = cursor.pointer(section_encoding, header);
    if (count_encoding == omitted || table_encoding != (from_the_header | signed_4)) {
        return section != 0 &&
               find_in_section(reinterpret_cast<const std::uint8_t*>(section), end, pc, found);
    }
    const std::uint64_t count = cursor.pointer(count_encoding, header);
    const auto* const table = reinterpret_cast<const table_entry*>(cursor.at());
    if (count == 0 || cursor.failed()) {
        return false;
    }

    const auto offset = static_cast<std::int64_t>(pc - reinterpret_cast<address>(header));
    std::uint64_t low = 0;
    for (std::uint64_t high = count; high - low > 1;) {
        const std::uint64_t middle = low + (high - low) / 2;
        (table[middle].function <= offset ? low : high) = middle;
    }
    if (table[low].function > offset) {
        return false;
    }
    byte_cursor entry(header + table[low].entry, end);
    return read_entry(entry, end, found) && found.begin <= pc && pc < found.end;
}

} // namespace mallard::recorder::unwind
