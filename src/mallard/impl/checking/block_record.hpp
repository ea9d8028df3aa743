/// A record of a checked allocator's registry (impl/checking/block_registry.hpp), with the checks of its block's
/// memory.
#pragma once

#include <mallard/checking/misuse.hpp>
#include <mallard/impl/checking/block_registry.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

/// The list of the registry that a record is in.
enum class block_stage : std::uint8_t { live, in_quarantine, leaving, dead };

/// The return addresses of the allocation follow the record in memory.
struct block_registry::record {
    std::byte* block = nullptr;
    std::size_t bytes = 0; ///< the size that the caller has
    std::size_t requested_bytes = 0;
    std::size_t alignment = 0;
    std::uint64_t number = 0;
    std::uint64_t holder = 0; ///< the registry of the allocator that has the block as a chunk; 0 if none has
    record* next_in_bucket = nullptr;
    record* older = nullptr;
    record* younger = nullptr;
    std::source_location place;
    bool has_place = false;
    allocator_call ended_by = allocator_call::none; ///< none while the block lives
    block_stage stage = block_stage::live;
    bool filled = false; ///< the block in quarantine holds the pattern
    std::uint8_t front_guard_bytes = 0;
    std::uint8_t back_guard_bytes = 0;
    std::uint8_t frames = 0;

    [[nodiscard]] void** stack() noexcept { return reinterpret_cast<void**>(this + 1); }
    [[nodiscard]] void* const* stack() const noexcept { return reinterpret_cast<void* const*>(this + 1); }

    [[nodiscard]] bool lives() const noexcept { return stage == block_stage::live; }

    /// Returns: true if a release, a rewind or a rollback ended the block.
    [[nodiscard]] bool was_taken() const noexcept {
        return stage == block_stage::dead && ended_by != allocator_call::deallocate;
    }

    /// Returns: true if the block may be deallocated with that size. A caller that got more bytes than it asked
    /// for deallocates with the size of the objects that fit.
    [[nodiscard]] bool accepts_size(std::size_t passed_bytes) const noexcept {
        return passed_bytes >= requested_bytes && passed_bytes <= bytes;
    }

    [[nodiscard]] misuse_report report(misuse kind, allocator_call detected_by) const noexcept {
        return {.kind = kind,
                .detected_by = detected_by,
                .block = block,
                .bytes = bytes,
                .spare_bytes = bytes - requested_bytes,
                .alignment = alignment,
                .ended_by = ended_by,
                .place = has_place ? &place : nullptr,
                .stack = {stack(), frames}};
    }

    /// Effects: writes the pattern of the guard zones.
    void draw_guards() const noexcept;

    /// Effects: reports a write into a guard zone once, and writes the pattern again.
    void look_at_guards(allocator_call by) const noexcept;

    /// Effects: fills the freed block with its pattern.
    void fill() const noexcept;

    /// Effects: reports a write into the block since it was filled, and fills it again.
    void look_at_filling(allocator_call by) const noexcept;

private:
    /// Effects: makes the zone in front accessible.
    /// Returns: the offset of its changed byte that is nearest to the block; 0 if none is changed.
    [[nodiscard]] std::ptrdiff_t changed_front_byte() const noexcept;

    /// Effects: makes the zone behind accessible.
    /// Returns: the offset of its changed byte that is nearest to the block; end_of_guards() if none is
    /// changed.
    [[nodiscard]] std::ptrdiff_t changed_back_byte() const noexcept;

    [[nodiscard]] std::ptrdiff_t end_of_guards() const noexcept {
        return static_cast<std::ptrdiff_t>(bytes + back_guard_bytes);
    }

    void report_write(misuse kind, allocator_call by, std::ptrdiff_t changed_byte) const noexcept;
};

}} // namespace mallard::checking::MALLARD_LIBRARY
