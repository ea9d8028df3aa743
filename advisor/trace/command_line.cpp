#include "trace/command_line.hpp"

#include <algorithm>

namespace mallard::trace {

command_line::command_line(const std::vector<std::string>& words,
                           std::initializer_list<std::string_view> flags,
                           std::initializer_list<std::string_view> options) {
    const auto contains = [](const auto& names, const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string& word = words[at];
        if (word == "--") {
            words_.insert(words_.end(), words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
            return;
        }
        const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
        const std::string name = word.substr(0, equals);
        if (!word.starts_with("-") || word == "-") {
            words_.push_back(word);
        } else if (equals == std::string::npos && contains(flags, name)) {
            values_[name] = "";
        } else if (!contains(options, name)) {
            std::string allowed;
            for (const auto& names : {flags, options}) {
                for (const std::string_view option : names) {
                    allowed.append(allowed.empty() ? "" : ", ").append(option);
                }
            }
            throw usage_error(("unknown option '" + word).append("'; allowed are ").append(allowed));
        } else if (equals != std::string::npos) {
            values_[name] = word.substr(equals + 1);
        } else if (at + 1 == words.size()) {
            throw usage_error(name + " needs a value");
        } else {
            values_[name] = words[++at];
        }
    }
}

std::optional<std::string> command_line::value(std::string_view name) const {
    const auto entry = values_.find(name);
    return entry == values_.end() ? std::nullopt : std::optional(entry->second);
}

} // namespace mallard::trace
