#include "profiler/program/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace mallard::advisor {

const char* const usage =
    "Usage: mallard-profile TRACE [--process P] [--scope F] [--between A,B] [--suppress FILE] [--all]\n"
    "                       [--symbols TEXT] [--events] [--rules CODE [--except CODE]] [--export FORMAT -o "
    "FILE]\n"
    "Analyses a trace of mallard-record, and prints the profile as JSON.\n"
    "\n"
    "  --process P   the process with this number, or whose executable has this name; of several, and "
    "without\n"
    "                the option, the one that allocates most often\n"
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
    "  --export FORMAT -o FILE\n"
    "                write the blocks by their stacks into a file instead: pprof, dhat (dh_view.html, "
    "Firefox\n"
    "                Profiler), or folded, folded-blocks, folded-peak, folded-end (flame graphs)\n";

namespace {

const export_format* find_format(const std::string& name) {
    if (const export_format* const format = find_export_format(name)) {
        return format;
    }
    std::string names;
    for (const export_format& format : export_formats()) {
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    }
    throw usage_error("--export " + name + ": unknown format. The formats are " + names + '.');
}

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
    if (parsed.exported != nullptr && parsed.output.empty()) {
        throw usage_error("--export needs a file: --export " + std::string(parsed.exported->name) +
                          " -o FILE.");
    }
    if (parsed.exported == nullptr && !parsed.output.empty()) {
        throw usage_error("-o " + parsed.output + " is for exports: add --export FORMAT.");
    }
    if (parsed.exported != nullptr &&
        (parsed.events || parsed.scope || parsed.suppress || parsed.all_rows || parsed.symbols)) {
        throw usage_error("--export writes all of a process. It goes with --process, not with --events, "
                          "--scope, --suppress, --all or --symbols.");
    }
    if (parsed.rules && (parsed.events || parsed.scope || parsed.suppress || parsed.all_rows ||
                         parsed.symbols || parsed.exported != nullptr)) {
        throw usage_error(
            "--rules prints a decision tree only. It goes with --process and --except, not with "
            "--events, --scope, --suppress, --all, --symbols or --export.");
    }
    if (!parsed.rules && !parsed.except.empty()) {
        throw usage_error("--except " + parsed.except + " excludes code from a scope: add --rules CODE.");
    }
    if (parsed.between &&
        (parsed.scope || parsed.rules || parsed.events || parsed.symbols || parsed.exported != nullptr)) {
        throw usage_error("--between goes with --process, --suppress and --all only.");
    }
    if (parsed.symbols && (parsed.events || parsed.scope || parsed.suppress || parsed.all_rows)) {
        throw usage_error(
            "--symbols prints names only. It goes with --process, not with --events, --scope, --suppress or "
            "--all.");
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
        } else if (word == "--export") {
            parsed.exported = find_format(value());
        } else if (word == "-o" || word == "--output") {
            parsed.output = value();
        } else if (word == "--all" && !attached) {
            parsed.all_rows = true;
        } else if (word == "--events" && !attached) {
            parsed.events = true;
        } else if ((word == "--help" || word == "-h") && !attached) {
            parsed.help = true;
        } else if (word == "--") {
            only_names = true;
        } else {
            throw usage_error(
                "Unknown option '" + words[at] +
                "'. The options are --process, --scope, --between, --suppress, --all, --symbols, "
                "--events, --rules, --except, "
                "--export and -o.");
        }
    }
    if (parsed.trace.empty() && !parsed.help) {
        throw usage_error("A trace is missing: mallard-profile TRACE.");
    }
    check_together(parsed);
    return parsed;
}

} // namespace mallard::advisor
