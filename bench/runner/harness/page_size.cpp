#include "runner/harness/page_size.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

namespace bench {

namespace {

constexpr const char* mark = "MALLARD_BENCH_HUGE_PAGES";

/// An environment variable that makes a malloc request huge pages. With a separator, the value is prepended to the
/// present one.
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

page_size in_use = page_size::unchanged;

void apply(const setting& s) {
    std::string value(s.value);
    if (const char* present = std::getenv(s.variable); present != nullptr && !s.separator.empty()) {
        value.append(s.separator).append(present);
    }
    setenv(s.variable, value.c_str(), 1);
}

std::string read_file(const char* file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void reexecute(std::vector<std::string>& notes) {
    for (const setting& s : settings) {
        apply(s);
    }
    std::string words = read_file("/proc/self/cmdline"); // a null character ends each argument
    std::vector<char*> arguments;
    for (std::size_t begin = 0; begin < words.size(); begin = words.find('\0', begin) + 1) {
        arguments.push_back(&words[begin]);
    }
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
    notes.emplace_back("the system did not execute the runner again with the environment in which mallocs "
                       "ask for huge pages: memory of malloc lies in small ones");
}

bool system_has_huge_pages() {
    const std::string modes = read_file("/sys/kernel/mm/transparent_hugepage/enabled");
    return !modes.empty() && modes.find("[never]") == std::string::npos;
}

} // namespace

void use_pages(page_size pages, std::vector<std::string>& notes) {
    const bool was_small = std::exchange(in_use, pages) == page_size::small;
    const bool small = pages == page_size::small;
    const bool changes = small || was_small || pages == page_size::huge;
    if (changes && prctl(PR_SET_THP_DISABLE, small ? 1 : 0, 0, 0, 0) != 0 && small) {
        notes.emplace_back("the system may have given huge pages: it does not support an opt-out");
    }
    if (pages == page_size::huge && !system_has_huge_pages()) {
        notes.emplace_back("transparent huge pages are switched off: all memory lies in small ones");
    }
    if (pages == page_size::huge && std::getenv(mark) == nullptr) {
        reexecute(notes);
    }
}

page_size pages_in_use() noexcept {
    return in_use;
}

} // namespace bench
