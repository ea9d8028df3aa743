#include "profiler/program/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace mallard::advisor {

const char* const usage =
    "Usage: mallard-profile TRACE [--process P] [--scope F] [--between A,B] [--suppress FILE] [--all]\n"
    "                       [--symbols TEXT] [--events] [--rules CODE [--except CODE]] [--stacks] "
    "[--history]\n"
    "Analyses a trace of mallard-record, and prints the profile as JSON.\n"
    "\n"
    "  --process P   the process with this number, or whose executable has this name; of several "
    "the\n"
    "                one that allocates most often (default: the one with the most CPU time)\n"
    "  --scope F     show one function or marked scope in depth as well\n"
    "  --between A,B a range of time: shares of the recording, as 0.2,0.5, or seconds, as 1.5s,3s\n"
    "  --suppress FILE\n"
    "                leaks that are not listed: lines leak:PATTERN, as for LeakSanitizer\n"
    "  --all         list all sites and scopes, not only the heaviest\n"
    "  --symbols TEXT\n"
    "                print the functions of the process's files whose symbols contain TEXT instead, a line "
    "each\n"
    "  --events      print the events as text instead, a line each\n"
    "  --rules CODE [--except CODE]\n"
    "                print a decision tree that finds this code on stacks instead, for a trial; "
    "FILE:OFFSET,\n"
    "                BEGIN-END;FILE:... in hexadecimal; 'code' of --scope has the offsets\n"
    "  --stacks      print the blocks by their stacks instead, for exports\n"
    "  --history     print the requests in order instead, for a replay: a binary file\n";

namespace {

moment read_moment(const std::string& range, std::string_view text) {
    moment at;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at.value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    at.is_share = unit.empty();
    if (error != std::errc() || !(unit.empty() || unit == "s") || !std::isfinite(at.value) || at.value < 0 ||
        (at.is_share && at.value > 1)) {
        throw usage_error("--between " + range +
                          ": give two shares of the recording, as 0.2,0.5, or seconds, as 1.5s,3s.");
    }
    return at;
}

std::pair<moment, moment> read_range(const std::string& text) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view rest = std::string_view(text).substr(comma);
    return {read_moment(text, std::string_view(text).substr(0, comma)),
            read_moment(text, rest.substr(std::min<std::size_t>(rest.size(), 1)))};
}

void check_together(const arguments& parsed) {
    const std::array<std::pair<const char*, bool>, 5> others{{{"--symbols", parsed.symbols.has_value()},
                                                              {"--events", parsed.events},
                                                              {"--rules", parsed.rules.has_value()},
                                                              {"--stacks", parsed.stacks},
                                                              {"--history", parsed.history}}};
    std::vector<std::string> instead; // of the profile
    for (const auto& [name, is_given] : others) {
        if (is_given) {
            instead.emplace_back(name);
        }
    }
    if (instead.size() > 1) {
        throw usage_error(instead[0] + " and " + instead[1] + " print different texts. Leave one out.");
    }
    if (!instead.empty() && (parsed.scope || parsed.suppress || parsed.all_rows || parsed.between)) {
        throw usage_error(instead[0] + " prints no profile. It goes with --process, not with --scope, "
                                       "--between, --suppress or --all.");
    }
    if (!parsed.rules && !parsed.except.empty()) {
        throw usage_error("--except " + parsed.except + " excludes code from a scope: add --rules CODE.");
    }
    if (parsed.between && parsed.scope) {
        throw usage_error("--between goes with --process, --suppress and --all only.");
    }
}

} // namespace

arguments read_arguments(const std::vector<std::string>& words) {
    arguments parsed;
    bool only_names = false;
    for (std::size_t at = 0; at < words.size(); ++at) {
        std::string word = words[at];
        std::optional<std::string> attached;
        if (!only_names && word.starts_with("--")) {
            if (const std::size_t equals = word.find('='); equals != std::string::npos) {
                attached = word.substr(equals + 1);
                word.resize(equals);
            }
        }
        const auto value = [&]() -> std::string {
            if (attached) {
                return *attached;
            }
            if (at + 1 == words.size()) {
                throw usage_error(word + " needs a value.");
            }
            return words[++at];
        };
        if (only_names || word.empty() || word[0] != '-' || word == "-") {
            if (!parsed.trace.empty()) {
                throw usage_error("Only one trace is allowed: '" + parsed.trace + "' or '" + word + "'.");
            }
            parsed.trace = word;
            continue;
        }
        if (word == "--process") {
            parsed.process = value();
            if (parsed.process->empty()) {
                throw usage_error(
                    "--process is empty. Give a process's number, or the name of its executable.");
            }
        } else if (word == "--scope") {
            parsed.scope = value();
        } else if (word == "--between") {
            parsed.between = read_range(value());
        } else if (word == "--suppress") {
            parsed.suppress = value();
        } else if (word == "--rules") {
            parsed.rules = value();
        } else if (word == "--except") {
            parsed.except = value();
        } else if (word == "--symbols") {
            parsed.symbols = value();
        } else if (word == "--all" && !attached) {
            parsed.all_rows = true;
        } else if (word == "--events" && !attached) {
            parsed.events = true;
        } else if (word == "--stacks" && !attached) {
            parsed.stacks = true;
        } else if (word == "--history" && !attached) {
            parsed.history = true;
        } else if ((word == "--help" || word == "-h") && !attached) {
            parsed.help = true;
        } else if (word == "--") {
            only_names = true;
        } else {
            throw usage_error(
                "Unknown option '" + words[at] +
                "'. The options are --process, --scope, --between, --suppress, --all, --symbols, "
                "--events, --rules, --except, --stacks and --history.");
        }
    }
    if (parsed.trace.empty() && !parsed.help) {
        throw usage_error("A trace is missing: mallard-profile TRACE.");
    }
    check_together(parsed);
    return parsed;
}

} // namespace mallard::advisor
