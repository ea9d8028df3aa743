/// The blocks whose allocation was recorded while others are left out: their end is recorded too.
///
/// Data model: a table of addresses, one place for each hash. A block whose place is taken drives out the one before,
/// whose end the trace then lacks; these are counted. Thread-safe, without a lock.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::recorder {

class sampled_blocks {
public:
    /// Effects: takes the table's 8 MiB of addresses, which a recording of all blocks goes without.
    /// Returns: false if there are none.
    /// Requires: it is called before anything else, and once.
    bool open() noexcept {
        void* const memory = ::mmap(nullptr, places * sizeof(std::uintptr_t), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        places_ = memory == MAP_FAILED ? nullptr : static_cast<std::atomic<std::uintptr_t>*>(memory);
        return places_ != nullptr;
    }

    /// Returns: false if another block was driven out.
    bool add(const void* block) noexcept {
        const auto now = reinterpret_cast<std::uintptr_t>(block);
        const std::uintptr_t before = place_of(now).exchange(now, std::memory_order_relaxed);
        return before == 0 || before == now;
    }

    /// Returns: true if the block was there.
    bool remove(const void* block) noexcept {
        auto now = reinterpret_cast<std::uintptr_t>(block);
        std::atomic<std::uintptr_t>& place = place_of(now);
        return place.load(std::memory_order_relaxed) == now && place.compare_exchange_strong(now, 0);
    }

    void clear() noexcept {
        for (std::size_t each = 0; each < places; ++each) {
            places_[each].store(0, std::memory_order_relaxed);
        }
    }

private:
    static constexpr unsigned place_bits = 20;
    static constexpr std::size_t places = std::size_t{1} << place_bits;

    std::atomic<std::uintptr_t>& place_of(std::uintptr_t block) noexcept {
        return places_[static_cast<std::size_t>((block >> 4) * 0x9e3779b97f4a7c15U >> (64 - place_bits))];
    }

    std::atomic<std::uintptr_t>* places_ = nullptr;
};

} // namespace mallard::recorder
