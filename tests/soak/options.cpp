#include "soak/options.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace soak {

namespace {

template <class Number>
std::optional<Number> number(std::string_view text, int base = 10) {
    Number read{};
    const char* const end = text.data() + text.size();
    const auto result = [&] {
        if constexpr (std::is_integral_v<Number>) {
            return std::from_chars(text.data(), end, read, base);
        } else {
            return std::from_chars(text.data(), end, read);
        }
    }();
    return result.ec == std::errc() && result.ptr == end ? std::optional(read) : std::nullopt;
}

/// Returns: the number that it stands for, in decimal or, after 0x, hexadecimal digits.
std::optional<std::uint64_t> whole_number(std::string_view text) {
    return text.starts_with("0x") ? number<std::uint64_t>(text.substr(2), 16) : number<std::uint64_t>(text);
}

std::string not_a(const char* what, const std::string& option, const std::string& word) {
    return option + " takes " + what + ", not \"" + word + "\"";
}

void read_value(options& read, const std::string& option, const std::string& word) {
    if (option == "--allocator") {
        read.allocator = word;
    } else if (option == "--seconds") {
        read.seconds = number<double>(word);
        if (!read.seconds || !std::isfinite(*read.seconds) || *read.seconds <= 0) {
            read.wrong = not_a("a number of seconds above 0", option, word);
        }
    } else {
        const auto value = whole_number(word);
        const bool zero_counts = option != "--operations";
        (option == "--operations" ? read.operations : option == "--seed" ? read.seed : read.turn) = value;
        if (!value || (*value == 0 && !zero_counts)) {
            read.wrong = not_a(zero_counts ? "a whole number" : "a whole number above 0", option, word);
        }
    }
}

} // namespace

options read_options(std::span<const char* const> words) {
    options read;
    for (std::size_t i = 0; i != words.size() && read.wrong.empty(); ++i) {
        const std::string option = words[i];
        if (option == "--list") {
            read.list = true;
        } else if (option == "--help" || option == "-h") {
            read.help = true;
        } else if (option == "--operations" || option == "--seconds" || option == "--seed" ||
                   option == "--allocator" || option == "--turn") {
            if (++i == words.size()) {
                read.wrong = option + " takes a value";
                break;
            }
            read_value(read, option, words[i]);
        } else {
            read.wrong = "there is no option \"" + option + "\"";
        }
    }
    if (read.wrong.empty() && read.turn && !read.seed) {
        read.wrong = "--turn takes a --seed, too: without it, the turn is another one each time";
    }
    return read;
}

const char* usage() noexcept {
    return "usage: mallard_soak [--operations N | --seconds S] [--seed X] [--allocator NAME] [--turn K] "
           "[--list]\n"
           "Random operations on every allocator, by every binding and adaptor, beside a shadow, until the "
           "goal\n"
           "is reached, a fault is found, or ^C.\n"
           "  --operations N    stop after so many\n"
           "  --seconds S       stop after so long\n"
           "  --seed X          of the random numbers; drawn, and told, where it is not given\n"
           "  --allocator NAME  only this allocator, or allocator/adaptor, or allocator/adaptor/binding\n"
           "  --turn K          only the turn of that number, as a fault names it\n"
           "  --list            say which there are\n"
           "Progress is told on stderr. The last line, on stdout, is JSON: for docs/refresh.py --soak FILE.\n"
           "Exit status: 0 where nothing was wrong, 1 after a fault, 2 after a wrong option, 130 after ^C "
           "before\n"
           "a goal.\n";
}

bool chooses(const std::string& chosen, const std::string& name) {
    return chosen.empty() || name == chosen || name.starts_with(chosen + "/");
}

} // namespace soak
