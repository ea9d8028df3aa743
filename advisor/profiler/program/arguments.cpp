#include "profiler/program/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace mallard::advisor {

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
    const trace::command_line line(
        words, {"--all", "--events", "--stacks", "--history"},
        {"--process", "--scope", "--between", "--suppress", "--symbols", "--rules", "--except"});
    if (line.words().size() != 1) {
        throw usage_error("Give one trace: mallard-profile TRACE.");
    }
    arguments parsed;
    parsed.trace = line.words().front();
    parsed.process = line.value("--process");
    if (parsed.process == "") {
        throw usage_error("--process is empty. Give a process's number, or the name of its executable.");
    }
    parsed.scope = line.value("--scope");
    if (const auto range = line.value("--between")) {
        parsed.between = read_range(*range);
    }
    parsed.suppress = line.value("--suppress");
    parsed.all_rows = line.has("--all");
    parsed.symbols = line.value("--symbols");
    parsed.events = line.has("--events");
    parsed.rules = line.value("--rules");
    parsed.except = line.value("--except").value_or("");
    parsed.stacks = line.has("--stacks");
    parsed.history = line.has("--history");
    check_together(parsed);
    return parsed;
}

} // namespace mallard::advisor
