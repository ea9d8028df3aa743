/// The names of scopes, marks and pools, by number.
///
///     places: hash -> number        entries: number -> text, length, written        texts: characters
///
/// Data model: three arrays in static storage, whose pages cost nothing until they are used. Names are copied, because
/// their library may be unloaded. A name is never removed, and a number is never reused.
/// Invariants: equal names have the same number. 0 is the number of the empty name, and of names without room.
/// Thread-safe, and safe in signal handlers: no lock and no heap.
#pragma once

#include "trace/raw_record.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::recorder {

class name_table {
public:
    /// Longer names are truncated.
    static constexpr std::size_t most_letters = 255;

    struct name {
        const char* text = nullptr;
        std::size_t length = 0;
    };

    /// Returns: the number of the name, assigned if necessary; 0 if there is no room.
    /// Complexity: O(length).
    std::uint32_t intern(const char* text) noexcept;

    /// Requires: `number` comes from `intern`, and is not 0.
    [[nodiscard]] name at(std::uint32_t number) const noexcept;

    /// Returns: true if the name is not in the trace yet. Concurrent calls may both return true.
    [[nodiscard]] bool is_new(std::uint32_t number) const noexcept {
        return !entries_[number].written.load(std::memory_order_relaxed);
    }
    void is_written(std::uint32_t number) noexcept {
        entries_[number].written.store(true, std::memory_order_relaxed);
    }

    /// Effects: marks all names as new, for another trace.
    void forget() noexcept;

private:
    struct entry {
        const char* text = nullptr;
        std::uint8_t length = 0;
        std::atomic<bool> written{false};
    };
    static constexpr std::size_t places = 2 * (trace::most_names + 1);
    static constexpr std::size_t text_bytes = std::size_t{4} << 20;

    std::uint32_t add(const char* text, std::size_t length) noexcept;
    [[nodiscard]] bool has_text(std::uint32_t number, const char* text, std::size_t length) const noexcept;

    std::array<std::atomic<std::uint32_t>, places> places_{};
    std::array<entry, trace::most_names + 1> entries_{};
    std::array<char, text_bytes> texts_{};
    std::atomic<std::uint32_t> last_{0};
    std::atomic<std::size_t> text_used_{0};
};

} // namespace mallard::recorder
