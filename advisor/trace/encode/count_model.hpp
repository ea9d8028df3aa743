/// Predicts the numbers of events without a block: frames of functions, and counts.
#pragma once

#include "trace/encode/site_model.hpp"

#include <cstdint>
#include <vector>

namespace mallard::trace {

class count_model {
public:
    void begin() {
        frames_.clear();
        last_ = 0;
    }

    /// Returns: the frame with which a function was entered, at its exit; else the last number of the site.
    [[nodiscard]] std::uint64_t expected(const site& at) const noexcept {
        return at.kind == record_kind::function_exit && !frames_.empty() ? frames_.back() : at.last_bytes;
    }
    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

    void pass(site& at, std::uint64_t number) {
        at.last_bytes = last_ = number;
        if (at.kind == record_kind::function_enter) {
            frames_.push_back(number);
        } else if (at.kind == record_kind::function_exit && !frames_.empty()) {
            frames_.pop_back();
        }
    }

private:
    std::vector<std::uint64_t> frames_; ///< of functions that were entered and not yet left
    std::uint64_t last_ = 0;
};

} // namespace mallard::trace
