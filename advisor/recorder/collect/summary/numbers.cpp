#include "recorder/collect/summary/numbers.hpp"

#include <array>
#include <cstdio>

namespace mallard::collect {

std::string with_commas(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t place = text.size(); place > 3;) {
        place -= 3;
        text.insert(place, ",");
    }
    return text;
}

std::string percent(std::uint64_t part, std::uint64_t total) {
    if (part == total) {
        return "100 %";
    }
    const auto hundredths =
        static_cast<std::uint64_t>(static_cast<double>(part) * 10'000 / static_cast<double>(total));
    return decimal(static_cast<double>(hundredths < 9'999 ? hundredths : 9'999) / 100, 2) + " %";
}

std::string decimal(double number, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, number);
    return text.data();
}

std::string bytes_in_words(std::uint64_t bytes) {
    constexpr std::array<const char*, 4> units{"kB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        return std::to_string(bytes) + " bytes";
    }
    auto number = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; number >= 1000 && unit + 1 < units.size(); ++unit) {
        number /= 1000;
    }
    return decimal(number, number < 100 ? 1 : 0) + " " + units.at(unit);
}

std::string counted(std::uint64_t number, const std::string& noun) {
    return with_commas(number) + " " + noun + (number == 1 ? "" : noun.ends_with("s") ? "es" : "s");
}

} // namespace mallard::collect
