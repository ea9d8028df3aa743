/// Blocks that threads hand over to other threads for deallocation.
#pragma once

#include "soak/play/live_blocks.hpp"

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace soak {

class mailbox {
public:
    /// Returns: true if there was room.
    [[nodiscard]] bool put(const live_block& b) {
        const std::scoped_lock lock(mutex_);
        if (blocks_.size() == most) {
            return false;
        }
        blocks_.push_back(b);
        return true;
    }

    [[nodiscard]] std::optional<live_block> take() {
        const std::scoped_lock lock(mutex_);
        if (blocks_.empty()) {
            return std::nullopt;
        }
        const live_block b = blocks_.back();
        blocks_.pop_back();
        return b;
    }

private:
    static constexpr std::size_t most = 256;

    std::mutex mutex_;
    std::vector<live_block> blocks_;
};

} // namespace soak
