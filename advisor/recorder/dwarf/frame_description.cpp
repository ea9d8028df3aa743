#include "recorder/dwarf/frame_description.hpp"

#include <cstring>

namespace mallard::recorder::unwind {

namespace {

/// The entries of a search table that every linker writes: two 32-bit numbers from the header on.
struct table_entry {
    std::int32_t function;
    std::int32_t entry;
};

/// Reads a common entry up to its instructions. `read_entry` reads the length of these.
bool read_common(const std::uint8_t* at, const std::uint8_t* end, frame_description& result) noexcept {
    byte_cursor section(at, end);
    const std::uint64_t length = section.length();
    byte_cursor entry = section.part(length);
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
    result.code_alignment = entry.unsigned_number();
    result.data_alignment = entry.signed_number();
    result.return_register =
        version == 1 ? entry.fixed<std::uint8_t>() : static_cast<std::uint8_t>(entry.unsigned_number());
    result.pointer_encoding = absolute;
    result.signal_frame = false;
    result.sized_augmentation = augmentation[0] == 'z';
    if (result.sized_augmentation) {
        byte_cursor data = entry.part(entry.unsigned_number());
        for (const char* letter = augmentation + 1; *letter != 0; ++letter) {
            switch (*letter) {
            case 'R':
                result.pointer_encoding = data.fixed<std::uint8_t>();
                break;
            case 'P':
                data.pointer(data.fixed<std::uint8_t>() & 0x7fU);
                break;
            case 'L':
                data.skip(1);
                break;
            case 'S':
                result.signal_frame = true;
                break;
            default:
                break; // with 'z' the data has a length, so an unknown letter can be skipped
            }
        }
    } else if (augmentation[0] != 0) {
        return false;
    }
    result.initial_begin = entry.at();
    result.initial_end = at + (section.at() - at);
    return !entry.failed();
}

/// Effects: reads the entry at the cursor and advances `section` past it.
/// Returns: true if it describes a function; stores the description in `result`.
bool read_entry(byte_cursor& section, const std::uint8_t* end, frame_description& result) noexcept {
    const std::uint64_t length = section.length();
    byte_cursor entry = section.part(length);
    const std::uint8_t* const from = entry.at();
    const auto distance = entry.fixed<std::uint32_t>();
    if (length == 0 || distance == 0 || entry.failed() || !read_common(from - distance, end, result)) {
        return false;
    }
    result.begin = entry.pointer(result.pointer_encoding);
    // A length has the format of a pointer, but no base.
    result.end = result.begin + entry.pointer(result.pointer_encoding & 0x0fU);
    if (result.sized_augmentation) {
        entry.skip(entry.unsigned_number());
    }
    result.instructions_begin = entry.at();
    result.instructions_end = section.at();
    return !entry.failed();
}

/// Effects: reads entries into `entry` until `predicate` returns true.
/// Returns: true if an entry matched.
template <typename Predicate>
bool find_entry_if(const std::uint8_t* begin, const std::uint8_t* end, frame_description& entry,
                   Predicate predicate) noexcept {
    byte_cursor section(begin, end);
    while (!section.done()) {
        std::uint32_t length = 0;
        std::memcpy(&length, section.at(), sizeof length);
        if (length == 0) {
            return false;
        }
        if (read_entry(section, end, entry) && predicate()) {
            return true;
        }
    }
    return false;
}

} // namespace

bool find_in_section(const std::uint8_t* section, const std::uint8_t* end, address pc,
                     frame_description& result) noexcept {
    return find_entry_if(section, end, result, [&] { return result.begin <= pc && pc < result.end; });
}

void section_range(const std::uint8_t* section, const std::uint8_t* end, address& range_begin,
                   address& range_end) noexcept {
    range_begin = ~address{0};
    range_end = 0;
    frame_description entry;
    find_entry_if(section, end, entry, [&] {
        // Linkers keep the entry of a discarded function, with address 0.
        if (entry.begin != 0 && entry.begin < entry.end) {
            range_begin = entry.begin < range_begin ? entry.begin : range_begin;
            range_end = entry.end > range_end ? entry.end : range_end;
        }
        return false;
    });
}

bool find_in_header(const std::uint8_t* header, const std::uint8_t* end, address pc,
                    frame_description& result) noexcept {
    byte_cursor cursor(header, end);
    if (cursor.fixed<std::uint8_t>() != 1) {
        return false;
    }
    const auto section_encoding = cursor.fixed<std::uint8_t>();
    const auto count_encoding = cursor.fixed<std::uint8_t>();
    const auto table_encoding = cursor.fixed<std::uint8_t>();
    const address section = cursor.pointer(section_encoding, header);
    if (count_encoding == omitted || table_encoding != (data_relative | signed_4)) {
        return section != 0 &&
               find_in_section(reinterpret_cast<const std::uint8_t*>(section), end, pc, result);
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
    return read_entry(entry, end, result) && result.begin <= pc && pc < result.end;
}

} // namespace mallard::recorder::unwind
