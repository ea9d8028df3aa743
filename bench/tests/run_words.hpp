/// Runs an experiment as from the command line, in this process.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline arguments parse_words(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size());
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    return arguments(pointers);
}

inline std::vector<std::string> split_words(const std::string& line) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < line.size();) {
        const std::size_t end = std::min(line.find(' ', begin), line.size());
        if (end != begin) {
            words.push_back(line.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return words;
}

using experiment_function = row (*)(arguments&, run_options&);

inline row run_words(experiment_function run, const std::string& line, run_options options = {}) {
    std::vector<std::string> words = split_words(line);
    arguments args = parse_words(words);
    return run(args, options);
}

/// Returns: the error of the command line; "no error" if it runs.
inline std::string error_message(experiment_function run, const std::string& line) {
    try {
        static_cast<void>(run_words(run, line));
    } catch (const usage_error& error) {
        return error.what();
    }
    return "no error";
}

inline std::map<std::string, double> figure_map(const row& result) {
    return {result.figures.begin(), result.figures.end()};
}

} // namespace bench
