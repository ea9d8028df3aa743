/// The rooms of a heap in the order of their addresses, to check whether an untrusted address lies in one.
///
/// Data model: a sorted row of bounds. A few lie here, many in pages of the system, because a check of a heap
/// must not ask that heap for memory. If the system has none, is_complete() is false, and the rooms have to be
/// asked one by one.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/impl/space/heap_block.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::space { inline namespace MALLARD_LIBRARY {

class room_table {
public:
    static constexpr std::size_t few = 64;

    /// Effects: makes a table for `rooms` rooms.
    explicit room_table(std::size_t rooms) noexcept;
    room_table(const room_table&) = delete;
    room_table& operator=(const room_table&) = delete;
    ~room_table();

    /// Returns: true if there is memory for all rooms; without it, nothing else may be called.
    [[nodiscard]] bool is_complete() const noexcept { return rooms_ != nullptr; }

    /// Effects: enters the room from `begin` to `end`, the place of its last tag.
    /// Requires: the table was made for that many.
    void add(const std::byte* begin, const std::byte* end) noexcept {
        rooms_[size_++] = {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)};
    }

    /// Effects: makes the table ready, once all rooms are entered.
    /// Complexity: n log n.
    void sort() noexcept;

    /// Returns: true if a smallest block that begins at `address` would lie in one of the rooms.
    /// Complexity: logarithmic.
    [[nodiscard]] bool has_block_at(std::uintptr_t address) const noexcept;

    /// Returns: true if a smallest block that begins at `address` would lie in the room from `begin` to `end`.
    [[nodiscard]] static bool is_block_in(std::uintptr_t begin, std::uintptr_t end,
                                          std::uintptr_t address) noexcept {
        return address >= begin && address < end && end - address >= heap_block::least_bytes;
    }

private:
    struct room {
        std::uintptr_t begin;
        std::uintptr_t end;
    };

    std::size_t mapped_bytes_;
    std::size_t size_ = 0;
    std::array<room, few> few_{};
    room* rooms_ = few_.data();
};

}} // namespace mallard::space::MALLARD_LIBRARY
