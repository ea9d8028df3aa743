/// The addresses of all blocks that the trial serves: one range, which grows.
///
///     region:  | slice 0 | slice 1 | ...          32 MiB each, owned by one server
///     sizes:   one byte for each 16 bytes of the region: the size of the block that begins there
///
/// Data model: a block is the trial's if its address is in the region; its slice tells its server. The sizes lie apart, so
/// that a block has no header, as in a program whose containers know their sizes. Memory comes with the first write.
/// The slices lie in a part of the address space that the kernel gives to nobody unasked, so the next one finds room there. Nothing is
/// reserved: addresses may be limited (RLIMIT_AS), and a process may lock all that it has (mlockall).
/// Invariant: a slice belongs to one server for ever.
/// Bound: memory is taken once and used again, but never given back, so the region takes no more than it is told to.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::trial {

class server;

class region {
public:
    static constexpr std::size_t granule = 16;
    static constexpr std::size_t slice_bytes = std::size_t{32} << 20;
    static constexpr std::size_t sizes_bytes = slice_bytes / granule;
    static constexpr unsigned most_slices = 8192;

    /// Effects: finds the place of the region. At most `most_taken_bytes` of memory are taken; 0 stands for half of the system's
    /// available memory.
    /// Returns: false if there is none.
    bool open(std::size_t most_taken_bytes) noexcept;

    /// Effects: counts memory that was not used before.
    /// Returns: false if no more is to be taken.
    bool takes(std::size_t bytes) noexcept {
        return taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes < most_taken_;
    }

    [[nodiscard]] bool holds(const void* block) const noexcept {
        return reinterpret_cast<std::uintptr_t>(block) - base_ < bytes_.load(std::memory_order_relaxed);
    }

    /// Returns: the server of the block.
    /// Requires: holds(block).
    [[nodiscard]] server* owner_of(const void* block) const noexcept {
        return owners_[offset_of(block) / slice_bytes].load(std::memory_order_acquire);
    }

    static constexpr std::uint8_t no_block = 0; ///< in place of a size: none begins there, or it is free
    static constexpr std::uint8_t size_in_front = 0xff; ///< in place of a size: it is in front of the block

    /// The size in granules of the block that begins there, or one of the two numbers.
    [[nodiscard]] std::uint8_t& size_at(const void* block) const noexcept {
        return sizes_[offset_of(block) / granule];
    }

    /// Returns: a slice that is `who`'s from now on; null if the process may have no more.
    std::byte* take_slice(server* who) noexcept;

private:
    std::byte* map_slice(server* who) noexcept;
    [[nodiscard]] std::size_t offset_of(const void* block) const noexcept {
        return reinterpret_cast<std::uintptr_t>(block) - base_;
    }

    std::uintptr_t base_ = 0;
    std::atomic<std::size_t> bytes_{0}; ///< of all slices
    std::uint8_t* sizes_ = nullptr;
    std::size_t most_taken_ = 0;
    std::atomic<std::size_t> taken_{0};
    bool huge_pages_ = false;
    std::array<std::atomic<server*>, most_slices> owners_{};
};

extern region the_region;

} // namespace mallard::trial
