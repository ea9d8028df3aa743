/// A program's own mutex, as a system of tasks may have one.
#pragma once

#include <atomic>

class spin_mutex {
public:
    constexpr spin_mutex() noexcept = default;

    void lock() noexcept {
        while (!try_lock()) {
        }
    }
    [[nodiscard]] bool try_lock() noexcept { return !locked_.exchange(true, std::memory_order_acquire); }
    void unlock() noexcept { locked_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> locked_{false};
};
