/// The addresses of all blocks that the trial serves: one growing range.
///
///     region:  | slice 0 | slice 1 | ...          32 MiB each, owned by one arena
///     sizes:   one byte for each 16 bytes of the region: the size of the block that begins there
///
/// Data model: a block is the trial's if its address is in the region; its slice determines its arena. The sizes are
/// separate, so that a block has no header, as in a program whose containers know their sizes. The first write to a
/// page allocates its memory.
/// The slices lie in a part of the address space that the kernel does not use by default, so that the next slice
/// finds room. Nothing is reserved: addresses may be limited (RLIMIT_AS), and a process may lock all of its memory
/// (mlockall).
/// Invariant: a slice belongs to one arena for ever.
/// Bound: the region takes at most `most_taken_bytes` of memory, which is reused.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::trial {

class thread_arena;

class region {
public:
    static constexpr std::size_t granule = 16;
    static constexpr std::size_t slice_bytes = std::size_t{32} << 20;
    static constexpr std::size_t sizes_bytes = slice_bytes / granule;
    static constexpr unsigned most_slices = 8192;

    /// Effects: chooses the addresses of the region. It takes at most `most_taken_bytes` of memory; 0 stands for half
    /// of the available memory.
    /// Returns: false if no addresses are free.
    bool open(std::size_t most_taken_bytes) noexcept;

    /// Effects: counts memory that is used for the first time.
    /// Returns: false if the limit is reached.
    bool takes(std::size_t bytes) noexcept {
        return taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes < most_taken_;
    }

    /// Effects: counts memory that is used for the first time, unless the limit would be reached.
    /// Returns: false if it would.
    bool reserves(std::size_t bytes) noexcept {
        const bool has_room = takes(bytes);
        if (!has_room) {
            taken_.fetch_sub(bytes, std::memory_order_relaxed);
        }
        return has_room;
    }
    /// Effects: returns counted memory to the system. No block is in it, and none will be.
    void gives_back(std::byte* memory, std::size_t bytes) noexcept;

    [[nodiscard]] bool holds(const void* block) const noexcept {
        return reinterpret_cast<std::uintptr_t>(block) - base_ < bytes_.load(std::memory_order_relaxed);
    }

    /// Returns: the arena of the block.
    /// Requires: holds(block).
    [[nodiscard]] thread_arena* owner(const void* block) const noexcept {
        return owners_[offset(block) / slice_bytes].load(std::memory_order_acquire);
    }

    static constexpr std::uint8_t no_block = 0; ///< instead of a size: no block begins there, or it is free
    static constexpr std::uint8_t size_in_front =
        0xff; ///< instead of a size: it is stored in front of the block

    /// Returns: the size in granules of the block at the address, or one of the two special numbers.
    [[nodiscard]] std::uint8_t& size_at(const void* block) const noexcept {
        return sizes_[offset(block) / granule];
    }

    /// Returns: adjacent slices that belong to `owner` from now on; null if the process may have no more.
    std::byte* take_slices(thread_arena* owner, std::size_t count = 1) noexcept;

private:
    std::byte* map_slices(thread_arena* owner, std::size_t count) noexcept;
    [[nodiscard]] std::size_t offset(const void* block) const noexcept {
        return reinterpret_cast<std::uintptr_t>(block) - base_;
    }

    std::uintptr_t base_ = 0;
    std::atomic<std::size_t> bytes_{0}; ///< of all slices
    std::uint8_t* sizes_ = nullptr;
    std::size_t most_taken_ = 0;
    std::atomic<std::size_t> taken_{0};
    bool huge_pages_ = false;
    std::array<std::atomic<thread_arena*>, most_slices> owners_{};
};

extern region the_region;

} // namespace mallard::trial
