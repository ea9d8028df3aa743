#include "recorder/collect/arguments.hpp"

#include "recorder/collect/failure.hpp"

#include <charconv>
#include <optional>

namespace mallard::collect {

const char* const usage =
    "usage: mallard-record [-o FILE] [--stacks auto|fp|unwind|none] [--sample N] [--follow] [--redact] -- "
    "PROGRAM [ARGUMENT ...]\n"
    "       mallard-record [--redact] --recover FILE\n";

namespace {

constexpr std::uint32_t most_sample = 1'000'000;

std::string stacks_of(const std::string& text) {
    if (text == "auto") {
        return "unwind";
    }
    if (text == "fp" || text == "unwind" || text == "none") {
        return text;
    }
    throw failure("--stacks '" + text + "'; allowed are auto, fp, unwind, none");
}

std::uint32_t sample_of(const std::string& text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end || number < 1 || number > most_sample) {
        throw failure("--sample '" + text + "'; allowed are whole numbers from 1 to 1000000");
    }
    return number;
}

/// The words that are left to read.
class word_list {
public:
    explicit word_list(const std::vector<std::string>& words) : words_(words) {}

    [[nodiscard]] bool is_empty() const { return next_ == words_.size(); }
    [[nodiscard]] const std::string& front() const { return words_[next_]; }
    std::string take() { return words_[next_++]; }
    std::vector<std::string> rest() const {
        return {words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end()};
    }

    /// Returns: the value if the next word is the option, as `--name VALUE` or `--name=VALUE`, which it takes.
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

bool take_flag(word_list& words, arguments& into) {
    const std::string& word = words.front();
    bool* const flag = word == "--follow"                 ? &into.follow
                       : word == "--redact"               ? &into.redact
                       : word == "--help" || word == "-h" ? &into.help
                                                          : nullptr;
    if (flag == nullptr) {
        return false;
    }
    *flag = true;
    words.take();
    return true;
}

bool take_option(word_list& words, arguments& into) {
    if (take_flag(words, into)) {
        return true;
    }
    if (auto file = words.take_value("-o")) {
        into.file = *file;
    } else if (auto trace = words.take_value("--recover")) {
        into.file = *trace;
        into.recover = true;
    } else if (auto stacks = words.take_value("--stacks")) {
        into.stacks = stacks_of(*stacks);
    } else if (auto sample = words.take_value("--sample")) {
        into.sample = sample_of(*sample);
    } else {
        return false;
    }
    return true;
}

} // namespace

arguments read_arguments(const std::vector<std::string>& given) {
    arguments found;
    word_list words(given);
    while (!words.is_empty() && words.front().starts_with("-")) {
        if (words.front() == "--") {
            words.take();
            break;
        }
        if (!take_option(words, found)) {
            throw failure("unknown option '" + words.front() +
                          "'; allowed are -o, --stacks, --sample, --follow, --redact, --recover; the "
                          "program's own options stand behind '--'");
        }
    }
    found.program = words.rest();
    if (found.help) {
        return found;
    }
    if (found.file.empty()) {
        throw failure("the name of the trace is empty; give -o FILE");
    }
    if (found.recover && !found.program.empty()) {
        throw failure("--recover starts no program; leave '" + found.program.front() + "' out");
    }
    if (!found.recover && found.program.empty()) {
        throw failure("PROGRAM is missing; give it behind '--', as in: mallard record -- ls -l");
    }
    if (!found.recover && found.program.front().empty()) {
        throw failure("PROGRAM is an empty word; give a program's name or path");
    }
    return found;
}

} // namespace mallard::collect
