/// The upstream of an arena's mechanism: chunks of its slices.
///
/// Data model: chunks are cut from the front of the current slice. Their sizes are powers of two; freed chunks are
/// kept in a list for each size, linked through their first words.
/// Invariants: a chunk begins at a multiple of its size, or of 2 MiB if it is larger. While `has_room()`, requests of
/// up to `most_bytes` are served, with all chunks that they cause. The mechanism is not called otherwise, because a
/// failure of its upstream would end the program.
#pragma once

#include "trial/report.hpp"
#include "trial/serve/region.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mallard::trial {

/// Not thread-safe.
class region_upstream {
public:
    static constexpr std::size_t least_bytes = 4096;
    static constexpr std::size_t most_bytes = std::size_t{4} << 20;

    region_upstream(thread_arena* owner, counts& results) noexcept : owner_(owner), counts_(results) {
        next_slice();
    }
    region_upstream(const region_upstream&) = delete;
    region_upstream& operator=(const region_upstream&) = delete;

    [[nodiscard]] bool has_room() const noexcept { return has_room_; }

    // For a mechanism that divides slices itself.

    /// Returns: the first slice, of which nothing is allocated; null if there is none.
    [[nodiscard]] std::byte* first_slice() const noexcept { return cursor_; }
    /// Returns: adjacent slices; null if the process may have no more.
    std::byte* take_slices(std::size_t count) noexcept { return the_region.take_slices(owner_, count); }
    /// Effects: counts memory of slices that is used for the first time.
    /// Returns: false if the limit of the region would be reached.
    bool reserves(std::size_t bytes) noexcept {
        const bool has_room = the_region.reserves(bytes);
        note_taken(has_room ? bytes : 0);
        return has_room;
    }
    /// Effects: returns memory of slices to the system; they are not used again.
    void give_back(std::byte* memory, std::size_t bytes) noexcept {
        the_region.gives_back(memory, bytes);
        taken_bytes_ -= bytes;
    }

    /// Requires: has_room().
    void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t size = chunk_bytes(bytes, alignment);
        note_taken(size);
        void*& free_list = free_lists_[static_cast<std::size_t>(std::countr_zero(size))];
        if (void* const chunk = free_list) {
            free_list = *static_cast<void**>(chunk);
            return chunk;
        }
        const std::size_t boundary = size < largest_boundary ? size : largest_boundary;
        const auto at = (reinterpret_cast<std::uintptr_t>(cursor_) + boundary - 1) & ~(boundary - 1);
        auto* const chunk = reinterpret_cast<std::byte*>(at);
        cursor_ = chunk + size;
        if (static_cast<std::size_t>(limit_ - cursor_) < spare_bytes) {
            next_slice();
        }
        has_room_ = the_region.takes(size) && has_room_;
        return chunk;
    }

    void deallocate(void* chunk, std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t size = chunk_bytes(bytes, alignment);
        void*& free_list = free_lists_[static_cast<std::size_t>(std::countr_zero(size))];
        *static_cast<void**>(chunk) = free_list;
        free_list = chunk;
        taken_bytes_ -= size;
    }

private:
    static constexpr std::size_t largest_boundary = std::size_t{2} << 20;
    // The largest request as a power of two, its boundary, and the mechanism's own metadata.
    static constexpr std::size_t spare_bytes = 3 * most_bytes;

    static std::size_t chunk_bytes(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t least = bytes > alignment ? bytes : alignment;
        return std::bit_ceil(least > least_bytes ? least : least_bytes);
    }

    void note_taken(std::size_t bytes) noexcept {
        taken_bytes_ += bytes;
        if (taken_bytes_ > counts_.most_taken_bytes) {
            counts_.most_taken_bytes = taken_bytes_;
        }
    }

    void next_slice() noexcept {
        std::byte* const slice = the_region.take_slices(owner_);
        has_room_ = slice != nullptr;
        if (has_room_) {
            cursor_ = slice;
            limit_ = slice + region::slice_bytes;
        }
    }

    thread_arena* owner_;
    counts& counts_;
    bool has_room_ = false;
    std::byte* cursor_ = nullptr;
    std::byte* limit_ = nullptr;
    std::size_t taken_bytes_ = 0;
    std::array<void*, 64> free_lists_{};
};

} // namespace mallard::trial
