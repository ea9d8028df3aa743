#include "recorder/marks/name_table.hpp"

#include <cstring>

namespace mallard::recorder {

std::uint32_t name_table::intern(const char* text) noexcept {
    const std::size_t length = text == nullptr ? 0 : ::strnlen(text, most_letters);
    if (length == 0) {
        return 0;
    }
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (std::size_t index = 0; index < length; ++index) {
        hash = (hash ^ static_cast<std::uint8_t>(text[index])) * 0x100000001b3;
    }
    std::uint32_t added = 0;
    for (std::size_t step = 0; step < places; ++step) {
        std::atomic<std::uint32_t>& place = places_[(hash + step) % places];
        std::uint32_t existing = place.load(std::memory_order_acquire);
        if (existing == 0) {
            if (added == 0) {
                added = add(text, length);
            }
            // Another thread may have taken the place. If it has the same name, the added entry is wasted.
            if (added == 0 || place.compare_exchange_strong(existing, added, std::memory_order_acq_rel)) {
                return added;
            }
        }
        if (has_text(existing, text, length)) {
            return existing;
        }
    }
    return 0;
}

name_table::name name_table::at(std::uint32_t number) const noexcept {
    return {entries_[number].text, entries_[number].length};
}

void name_table::forget() noexcept {
    const std::uint32_t last = last_.load(std::memory_order_relaxed);
    for (std::uint32_t number = 1; number <= last && number <= trace::most_names; ++number) {
        entries_[number].written.store(false, std::memory_order_relaxed);
    }
}

/// Returns: the number of a new entry that is not in `places` yet; 0 if there is no room.
std::uint32_t name_table::add(const char* text, std::size_t length) noexcept {
    if (last_.load(std::memory_order_relaxed) >= trace::most_names ||
        text_used_.load(std::memory_order_relaxed) + length > text_bytes) {
        return 0;
    }
    const std::size_t at = text_used_.fetch_add(length, std::memory_order_relaxed);
    const std::uint32_t number = last_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (at + length > text_bytes || number > trace::most_names) {
        return 0;
    }
    std::memcpy(&texts_[at], text, length);
    entries_[number].text = &texts_[at];
    entries_[number].length = static_cast<std::uint8_t>(length);
    return number;
}

bool name_table::has_text(std::uint32_t number, const char* text, std::size_t length) const noexcept {
    const entry& candidate = entries_[number];
    return candidate.length == length && std::memcmp(candidate.text, text, length) == 0;
}

} // namespace mallard::recorder
