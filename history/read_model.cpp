#include "history/history.hpp"

#include <algorithm>

namespace mallard::history {

namespace {

constexpr std::uint64_t least_peak = 64 << 10;
constexpr std::uint64_t most_peak = std::uint64_t{64}
                                    << 30; // so that below() has room for the number of blocks
constexpr std::uint64_t least_block_bytes = 16;
constexpr std::uint64_t most_block_bytes = 1 << 20;

/// Returns: true if the text is a decimal number of at most 15 digits, perhaps with a point.
bool read_number(std::string_view text, double& result) noexcept {
    double value = 0;
    double unit = 0; // 0 in front of the point
    bool has_digit = false;
    if (text.size() > 16) {
        return false;
    }
    for (const char letter : text) {
        if (letter == '.' && unit == 0) {
            unit = 1;
        } else if (letter >= '0' && letter <= '9') {
            value = value * 10 + (letter - '0');
            unit *= 10;
            has_digit = true;
        } else {
            return false;
        }
    }
    result = unit == 0 ? value : value / unit;
    return has_digit;
}

/// Returns: true if the text is a whole number up to `most`, perhaps with K, M or G behind it.
bool read_whole(std::string_view text, std::uint64_t most, bool has_unit, std::uint64_t& result) noexcept {
    unsigned shift = 0;
    if (has_unit && !text.empty()) {
        const char unit = text.back();
        shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
        text.remove_suffix(shift == 0 ? 0 : 1);
    }
    std::uint64_t value = 0;
    for (const char letter : text) {
        if (letter < '0' || letter > '9' || value > most / 10) {
            return false;
        }
        value = value * 10 + static_cast<std::uint64_t>(letter - '0');
    }
    if (text.empty() || value > most >> shift) {
        return false;
    }
    result = value << shift;
    return true;
}

bool read_share(std::string_view text, double& result) noexcept {
    double value = 0;
    if (!read_number(text, value) || value > 1) {
        return false;
    }
    result = value;
    return true;
}

/// `LEAST-MOST`, or one number for blocks of one size.
bool read_sizes(std::string_view text, model& result) noexcept {
    const std::size_t dash = std::min(text.find('-'), text.size());
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    if (!read_whole({text.data(), dash}, most_block_bytes, true, least)) {
        return false;
    }
    if (dash == text.size()) {
        most = least;
    } else if (!read_whole({text.data() + dash + 1, text.size() - dash - 1}, most_block_bytes, true, most)) {
        return false;
    }
    result.least_bytes = static_cast<std::uint32_t>(least);
    result.most_bytes = static_cast<std::uint32_t>(most);
    return least_block_bytes <= least && least <= most;
}

bool read_setting(std::string_view name, std::string_view value, model& result) noexcept {
    if (name == "peak") {
        return read_whole(value, most_peak, true, result.peak_bytes) &&
               (result.peak_bytes == 0 || result.peak_bytes >= least_peak);
    }
    if (name == "rounds") {
        std::uint64_t rounds = 0;
        const bool is_right = read_whole(value, 1000, false, rounds);
        result.rounds = static_cast<std::uint32_t>(rounds);
        return is_right;
    }
    if (name == "replace") {
        return read_share(value, result.replaced);
    }
    if (name == "keep") {
        return read_share(value, result.kept);
    }
    if (name == "sizes") {
        return read_sizes(value, result);
    }
    return name == "seed" && read_whole(value, ~std::uint64_t{0} >> 1, false, result.seed);
}

const age_level* find_level(std::string_view name) noexcept {
    for (const age_level& level : levels) {
        if (level.name == name) {
            return &level;
        }
    }
    return nullptr;
}

} // namespace

wrong_part read_model(std::string_view text, model& result) noexcept {
    model read = levels.back().figures;
    bool is_first = true;
    do {
        const std::size_t comma = text.find(',');
        const std::string_view part(text.data(), std::min(comma, text.size()));
        const std::size_t equals = part.find('=');
        if (equals != std::string_view::npos) {
            const std::string_view value(part.data() + equals + 1, part.size() - equals - 1);
            if (!read_setting({part.data(), equals}, value, read)) {
                return part;
            }
        } else {
            const age_level* const level = is_first ? find_level(part) : nullptr;
            if (level == nullptr) {
                return part.empty() ? std::string_view("an empty part") : part;
            }
            read = level->figures;
        }
        is_first = false;
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        if (comma != std::string_view::npos && text.empty()) {
            return "an empty part";
        }
    } while (!text.empty());
    result = read;
    return {};
}

} // namespace mallard::history
