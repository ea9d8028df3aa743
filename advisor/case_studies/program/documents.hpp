/// Programs of the form: PROGRAM FILE TIMES. Each line of the file is a document; all are handled TIMES times.
#pragma once

#include "advisor/case_studies/program/checksum.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace case_studies {

inline std::vector<std::string> read_lines(const char* file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    if (lines.empty()) {
        std::fprintf(stderr, "%s has no documents\n", file);
        std::exit(2);
    }
    return lines;
}

struct work {
    const char* file;
    unsigned long times;
};

inline work parse_arguments(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s FILE TIMES\n", argv[0]);
        std::exit(2);
    }
    return {argv[1], std::strtoul(argv[2], nullptr, 10)};
}

/// Effects: prints the checksum of what `handle` returns for each document.
template <class Handle>
int over_documents(int argc, char** argv, Handle handle) {
    const work arguments = parse_arguments(argc, argv);
    const std::vector<std::string> documents = read_lines(arguments.file);
    checksum sum;
    for (unsigned long time = 0; time != arguments.times; ++time) {
        for (const std::string& document : documents) {
            sum.add(std::uint64_t{handle(std::string_view(document))});
        }
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(sum.value()));
    return 0;
}

} // namespace case_studies
