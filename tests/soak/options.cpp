#include "soak/options.hpp"

#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <string_view>
#include <system_error>

namespace soak {

namespace {

std::optional<std::uint64_t> digits(std::string_view text, int base) {
    std::uint64_t read = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, read, base);
    return result.ec == std::errc() && result.ptr == end ? std::optional(read) : std::nullopt;
}

/// Reads a stream, because std::from_chars of libc++ does not support floating point.
std::optional<double> fraction(const std::string& text) {
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double read = 0;
    return in >> std::noskipws >> read && in.eof() ? std::optional(read) : std::nullopt;
}

/// Returns: the number in decimal or, after 0x, hexadecimal digits, or nothing if the text is not a number.
std::optional<std::uint64_t> parse_number(std::string_view text) {
    return text.starts_with("0x") ? digits(text.substr(2), 16) : digits(text, 10);
}

std::string not_a(const char* expected, const std::string& option, const std::string& word) {
    return option + " takes " + expected + ", not \"" + word + "\"";
}

void read_value(options& read, const std::string& option, const std::string& word) {
    if (option == "--allocator") {
        read.allocator = word;
    } else if (option == "--seconds") {
        read.seconds = fraction(word);
        if (!read.seconds || !std::isfinite(*read.seconds) || *read.seconds <= 0) {
            read.wrong = not_a("a number of seconds above 0", option, word);
        }
    } else {
        const auto value = parse_number(word);
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
           "Random operations on every allocator, by every binding and adaptor, with a shadow, until the "
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
