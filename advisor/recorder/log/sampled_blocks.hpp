/// The blocks whose allocation was recorded in a sample: their end is recorded too.
///
/// Data model: a table of addresses, one place for each hash. A new block evicts the previous one of its place,
/// whose end the trace then lacks; evictions are counted. Thread-safe, without a lock.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::recorder {

class sampled_blocks {
public:
    /// Effects: maps the table of 8 MiB, which a recording of all blocks does not need.
    /// Returns: false if there is no memory.
    /// Requires: called once, before all other functions.
    bool open() noexcept {
        void* const memory = ::mmap(nullptr, places * sizeof(std::uintptr_t), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        places_ = memory == MAP_FAILED ? nullptr : static_cast<std::atomic<std::uintptr_t>*>(memory);
        return places_ != nullptr;
    }

    /// Returns: false if another block was evicted.
    bool add(const void* block) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        const std::uintptr_t evicted = place_for(address).exchange(address, std::memory_order_relaxed);
        return evicted == 0 || evicted == address;
    }

    /// Returns: true if the block was in the table.
    bool remove(const void* block) noexcept {
        auto address = reinterpret_cast<std::uintptr_t>(block);
        std::atomic<std::uintptr_t>& place = place_for(address);
        return place.load(std::memory_order_relaxed) == address && place.compare_exchange_strong(address, 0);
    }

    void clear() noexcept {
        for (std::size_t index = 0; index < places; ++index) {
            places_[index].store(0, std::memory_order_relaxed);
        }
    }

private:
    static constexpr unsigned place_bits = 20;
    static constexpr std::size_t places = std::size_t{1} << place_bits;

    std::atomic<std::uintptr_t>& place_for(std::uintptr_t block) noexcept {
        return places_[static_cast<std::size_t>((block >> 4) * 0x9e3779b97f4a7c15U >> (64 - place_bits))];
    }

    std::atomic<std::uintptr_t>* places_ = nullptr;
};

} // namespace mallard::recorder
