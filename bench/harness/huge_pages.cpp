#include "bench/harness/huge_pages.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace bench {

namespace {

constexpr const char* mark = "MALLARD_BENCH_HUGE_PAGES";

/// The environment variable that makes a malloc ask for huge pages. With a separator, the value goes in front
/// of the present one.
struct setting {
    const char* variable;
    std::string_view value;
    std::string_view separator;
};
constexpr setting settings[] = {
    {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", ":"},
    {"MALLOC_CONF", "thp:always", ","},
    {"MIMALLOC_LARGE_OS_PAGES", "1", ""},
    {"MIMALLOC_ALLOW_LARGE_OS_PAGES", "1", ""},
    {mark, "1", ""},
};

void apply(const setting& s) {
    std::string value(s.value);
    if (const char* before = std::getenv(s.variable); before != nullptr && !s.separator.empty()) {
        value.append(s.separator).append(before);
    }
    setenv(s.variable, value.c_str(), 1);
}

/// Returns: the command line of this process, with a null character after each argument.
std::string command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

small_pages_only::small_pages_only() noexcept : works_(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0) {}

small_pages_only::~small_pages_only() {
    if (works_) {
        prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
    }
}

bool malloc_asks_for_huge_pages() noexcept {
    return std::getenv(mark) != nullptr;
}

void execute_again_with_huge_pages(std::vector<std::string>& notes) {
    for (const setting& s : settings) {
        apply(s);
    }
    std::string words = command_line();
    std::vector<char*> arguments;
    for (std::size_t begin = 0; begin < words.size(); begin = words.find('\0', begin) + 1) {
        arguments.push_back(&words[begin]);
    }
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
    notes.emplace_back("the system did not execute the runner again with the environment in which mallocs "
                       "ask for huge pages: "
                       "what comes from malloc lies in small ones");
}

} // namespace bench
