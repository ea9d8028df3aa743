/// `mallard-record`: starts a program with the recorder in it, and makes a trace of what it does.

#include "recorder/collect/arguments.hpp"
#include "recorder/collect/failure.hpp"
#include "recorder/collect/record.hpp"
#include "recorder/collect/recover.hpp"
#include "recorder/collect/summary/summary.hpp"
#include "trace/trace_error.hpp"

#include <malloc.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr int failed = 2;

// The system clears each page that it gives. So memory that was freed is kept for the next frame.
void keep_memory() noexcept {
    constexpr int highest_threshold = 32 << 20; // that glibc takes
    ::mallopt(M_MMAP_THRESHOLD, highest_threshold);
    ::mallopt(M_TRIM_THRESHOLD, 32 * highest_threshold - 1);
}

int run(const std::vector<std::string>& words) {
    using namespace mallard::collect;
    const arguments how = read_arguments(words);
    if (how.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    return how.recover ? recover(how) : record(how);
}

} // namespace

int main(int count, char** words) {
    keep_memory();
    try {
        return run({words + 1, words + count});
    } catch (const std::exception& error) {
        mallard::collect::say(std::string("error: ") + error.what());
        return failed;
    }
}
