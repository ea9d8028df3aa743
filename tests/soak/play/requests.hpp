/// The requests of one turn: of one size or of any, small or large, and their alignments.
#pragma once

#include "soak/play/random_numbers.hpp"
#include "soak/play/subject.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace soak {

class requests {
public:
    requests(const bounds& most, random_numbers& random) : most_(most), random_(random) {
        manner_ = static_cast<manner>(random.below(5));
        aligned_ = random.one_in(4);
        for (std::size_t& bytes : few_) {
            bytes = std::min(of_any_size(), std::size_t{4096});
        }
    }

    [[nodiscard]] std::size_t bytes() {
        switch (manner_) {
        case manner::one_size:
            return few_[0];
        case manner::few_sizes:
            return few_[random_.below(few_.size())];
        case manner::tiny:
            return std::min(random_.below(40), most_.bytes);
        case manner::about_powers: {
            const std::size_t power = std::size_t{1} << random_.below(13);
            return std::min(power - 1 + random_.below(3), most_.bytes);
        }
        default:
            return of_any_size();
        }
    }

    /// Returns: a larger alignment one time in four, in a turn that has aligned requests; else the fundamental one.
    [[nodiscard]] std::size_t alignment() {
        if (!aligned_ || !random_.one_in(4)) {
            return std::min(most_.alignment, std::size_t{16} >> random_.below(2));
        }
        const std::size_t drawn = std::size_t{1} << random_.below(13);
        return std::min(drawn, most_.alignment);
    }

private:
    enum class manner : std::uint8_t { one_size, few_sizes, tiny, about_powers, any };

    [[nodiscard]] std::size_t of_any_size() {
        const std::size_t magnitude = random_.below(512);
        std::size_t drawn = random_.below(257);
        if (magnitude == 0) {
            drawn = random_.below(most_.bytes + 1);
        } else if (magnitude < 8) {
            drawn = random_.below(std::size_t{33} << 10);
        } else if (magnitude < 64) {
            drawn = random_.below(4097);
        }
        return std::min(drawn, most_.bytes);
    }

    const bounds& most_;
    random_numbers& random_;
    std::array<std::size_t, 4> few_{};
    manner manner_ = manner::any;
    bool aligned_ = false;
};

} // namespace soak
