#include "collector/arguments.hpp"

#include "collector/failure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace mallard::collector {

const char* const usage =
    "usage: mallard-record [-o FILE] [--stacks auto|fp|unwind|none] [--sample N] [--for TIME] [--limit SIZE] "
    "[--signal USR1|USR2] [--follow [--until-end]] [--redact] -- PROGRAM [ARGUMENT ...]\n"
    "       mallard-record [-o FILE] [--stacks auto|fp|unwind|none] [--sample N] [--for TIME] [--limit SIZE] "
    "[--redact] --pid PID\n"
    "       mallard-record [--redact] --recover FILE\n";

namespace {

constexpr std::uint32_t most_sample = 1'000'000;

std::string parse_stacks(const std::string& text) {
    if (text == "auto") {
        return "unwind";
    }
    if (text == "fp" || text == "unwind" || text == "none") {
        return text;
    }
    throw failure("--stacks '" + text + "'; allowed are auto, fp, unwind, none");
}

std::uint32_t parse_process(const std::string& text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end || number < 1 || number > INT32_MAX) {
        throw failure("--pid '" + text + "'; allowed is the number of a process: 'ps -e' lists them");
    }
    return number;
}

std::uint32_t parse_sample(const std::string& text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end || number < 1 || number > most_sample) {
        throw failure("--sample '" + text + "'; allowed are whole numbers from 1 to 1000000");
    }
    return number;
}

int parse_signal(const std::string& text) {
    if (text != "USR1" && text != "USR2") {
        throw failure("--signal '" + text + "'; allowed are USR1, USR2");
    }
    return text == "USR1" ? SIGUSR1 : SIGUSR2;
}

/// Returns: the whole number at the front of the text, times the value of the unit behind it; 0 if it is not positive, too
/// large, or has another unit.
template <std::size_t Count>
std::uint64_t parse_amount(const std::string& text,
                           const std::array<std::pair<std::string_view, std::uint64_t>, Count>& units) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    const auto* const unit = std::ranges::find(units, std::string_view(read.ptr, end),
                                               [](const auto& candidate) { return candidate.first; });
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    if (read.ec != std::errc{} || unit == units.end() || number > most / unit->second) {
        return 0;
    }
    return number * unit->second;
}

std::chrono::milliseconds parse_duration(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> units{
        {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
    const std::uint64_t duration = parse_amount(text, units);
    constexpr std::uint64_t year = std::uint64_t{366} * 24 * 3'600'000;
    if (duration == 0 || duration > year) {
        throw failure("--for '" + text +
                      "'; allowed are whole numbers of ms, s, m or h up to a year: --for 30s");
    }
    return std::chrono::milliseconds(duration);
}

std::uint64_t parse_size(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> units{
        {{"", 1}, {"K", 1U << 10}, {"M", 1U << 20}, {"G", 1U << 30}, {"T", std::uint64_t{1} << 40}}};
    const std::uint64_t size = parse_amount(text, units);
    if (size == 0) {
        throw failure("--limit '" + text + "'; allowed are whole numbers of bytes, K, M, G or T: --limit 2G");
    }
    return size;
}

/// The words that are not parsed yet.
class word_list {
public:
    explicit word_list(const std::vector<std::string>& words) : words_(words) {}

    [[nodiscard]] bool is_empty() const { return next_ == words_.size(); }
    [[nodiscard]] const std::string& front() const { return words_[next_]; }
    std::string take() { return words_[next_++]; }
    [[nodiscard]] std::vector<std::string> remaining() const {
        return {words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end()};
    }

    /// Returns: the option's value if the next word is `--name VALUE` or `--name=VALUE`, and consumes it.
    std::optional<std::string> take_value(const std::string& name) {
        if (front().starts_with(name + "=") && name.starts_with("--")) {
            return take().substr(name.size() + 1);
        }
        if (front() != name) {
            return std::nullopt;
        }
        take();
        if (is_empty()) {
            throw failure(name + ": its value is missing");
        }
        return take();
    }

private:
    const std::vector<std::string>& words_;
    std::size_t next_ = 0;
};

bool take_flag(word_list& words, arguments& result) {
    const std::string& word = words.front();
    bool* const flag = word == "--follow"                 ? &result.follow
                       : word == "--until-end"            ? &result.until_end
                       : word == "--redact"               ? &result.redact
                       : word == "--help" || word == "-h" ? &result.help
                                                          : nullptr;
    if (flag == nullptr) {
        return false;
    }
    *flag = true;
    words.take();
    return true;
}

bool take_option(word_list& words, arguments& result) {
    if (take_flag(words, result)) {
        return true;
    }
    if (auto file = words.take_value("-o")) {
        result.file = *file;
    } else if (auto trace = words.take_value("--recover")) {
        result.file = *trace;
        result.recover = true;
    } else if (auto stacks = words.take_value("--stacks")) {
        result.stacks = parse_stacks(*stacks);
    } else if (auto sample = words.take_value("--sample")) {
        result.sample = parse_sample(*sample);
    } else if (auto process = words.take_value("--pid")) {
        result.process = parse_process(*process);
    } else if (auto signal = words.take_value("--signal")) {
        result.signal = parse_signal(*signal);
    } else if (auto duration = words.take_value("--for")) {
        result.duration = parse_duration(*duration);
    } else if (auto size = words.take_value("--limit")) {
        result.most_bytes = parse_size(*size);
    } else {
        return false;
    }
    return true;
}

} // namespace

arguments read_arguments(const std::vector<std::string>& words) {
    arguments result;
    word_list unparsed(words);
    while (!unparsed.is_empty() && unparsed.front().starts_with("-")) {
        if (unparsed.front() == "--") {
            unparsed.take();
            break;
        }
        if (!take_option(unparsed, result)) {
            throw failure("unknown option '" + unparsed.front() +
                          "'; allowed are -o, --stacks, --sample, --for, --limit, --pid, --signal, --follow, "
                          "--until-end, --redact, --recover; the program's own options follow '--'");
        }
    }
    result.program = unparsed.remaining();
    if (result.help) {
        return result;
    }
    if (result.file.empty()) {
        throw failure("the name of the trace is empty; give -o FILE");
    }
    if (result.recover && !result.program.empty()) {
        throw failure("--recover starts no program; remove '" + result.program.front() + "'");
    }
    if (result.process != 0) {
        if (result.recover || result.follow || result.signal != 0 || !result.program.empty()) {
            throw failure("--pid records a running process; remove " +
                          (result.recover       ? std::string("--recover")
                           : result.follow      ? "--follow: only programs that mallard starts are followed"
                           : result.signal != 0 ? "--signal: the recording begins at once, and ends by Ctrl-C"
                                                : "'" + result.program.front() + "'"));
        }
        return result;
    }
    if (!result.recover && result.program.empty()) {
        throw failure("PROGRAM is missing; give it after '--', as in: mallard record -- ls -l");
    }
    if (!result.recover && result.program.front().empty()) {
        throw failure("PROGRAM is empty; give a program's name or path");
    }
    return result;
}

} // namespace mallard::collector
